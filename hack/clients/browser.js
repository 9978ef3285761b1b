// Signs in at a site with Chromium, and prints what a page's EventSource gets: node browser.js SITE EMAIL PASSWORD
const { chromium } = require('playwright-core');

// Follows events in a page of the site. EventSource comes back by itself after a connection that broke, but not after a
// response other than 200, such as a proxy's 502 while there is no server.
async function follow([username, password]) {
  const post = async (path, parameters) => {
    const response = await fetch('/api/v1' + path, { method: 'POST', body: new URLSearchParams(parameters) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  await post('/sessions', { username, password });
  const { queue_id, last_event_id } = await post('/register', { event_types: '["message"]', fetch_event_types: '[]' });
  const listen = (last) => {
    const source = new EventSource('/api/v1/events?' + new URLSearchParams({ queue_id, last_event_id: last }));
    source.onopen = () => console.log('opened');
    source.onmessage = (e) => {
      last = e.lastEventId;
      console.log('message ' + JSON.parse(e.data).message.content);
    };
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 500, last);
    };
  };
  listen(last_event_id);
}

async function main() {
  const [site, ...account] = process.argv.slice(2);
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  process.once('SIGTERM', () => browser.close());
  const page = await browser.newPage();
  page.on('console', (message) => console.log(message.text()));
  page.on('pageerror', (error) => console.log(`${error}`));
  await page.route('**/viewer.js', (route) => route.abort()); // which isn't what is tried
  await page.goto(site + '/api/docs', { waitUntil: 'commit' });
  await page.evaluate(follow, account);
}

main();
