// Prints the messages that zulip-js gets: node follow.js ZULIPRC
const zulipInit = require('zulip-js');

zulipInit({ zuliprc: process.argv[2] }).then((zulip) =>
  zulip.callOnEachEvent((event) => console.log('message', event.message?.content), ['message']),
);
