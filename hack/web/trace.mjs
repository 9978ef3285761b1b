// What a page and its browser do while it is loaded: what comes over the network, and what the main thread is busy with.
import { writeFileSync } from 'node:fs'

const categories = ['devtools.timeline', 'v8', 'v8.execute', 'loading', 'blink.user_timing', 'toplevel', 'disabled-by-default-v8.cpu_profiler']

/** How long a task, or a part of it, is that is worth a line, in milliseconds. */
const least = 10

/** How many functions are named of a task. */
const named = 6

/** The file that the browser's developer tools can open. */
const file = new URL('../../.local/web/trace.json', import.meta.url).pathname

/** Records what a page does while something is done with it, and prints that, with times since it was asked for. */
export async function traced(browser, page, what) {
  print(await recorded(browser, page, what))
}

/**
 * Records what a page does while something is done with it, and prints how long its main thread was busy with what in all, and in the frames
 * that took it longest. That is processor time: what else the machine does isn't counted. Functions are timed by the clock, with the work that
 * they have the browser do.
 */
export async function summed(browser, page, what) {
  const events = await recorded(browser, page, what)
  const main = events.find((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain' && events.some((other) => other.pid === e.pid && other.name === 'UpdateLayoutTree'))
  const own = events.filter((e) => e.pid === main.pid && e.tid === main.tid && e.ph === 'X').sort((a, b) => a.ts - b.ts || b.dur - a.dur)
  const functions = new Map()
  for (const { took, name } of samples(events.filter((e) => e.pid === main.pid))) functions.set(name, (functions.get(name) ?? 0) + took)
  const list = (times) => [...times].sort((a, b) => b[1] - a[1]).slice(0, 25).map(([name, took]) => `${String(Math.round(took / 1000)).padStart(8)} ms  ${name}`).join('\n')
  console.log(`Parts:\n${list(selfTimes(own, 'tdur'))}\nFunctions:\n${list(functions)}`)
  const ends = own.filter((e) => e.name === 'Layerize').map((e) => e.ts + e.dur) // the last part of a frame
  const frames = ends.map((end, i) => selfTimes(own.filter((e) => e.ts >= (ends[i - 1] ?? 0) && e.ts < end), 'tdur')).map((parts) => ({ parts, took: [...parts.values()].reduce((sum, took) => sum + took, 0) }))
  for (const { parts, took } of frames.sort((a, b) => b.took - a.took).slice(0, 8)) {
    console.log(`Frame of ${Math.round(took / 1000)} ms:\n${list(parts).split('\n').slice(0, 6).join('\n')}`)
  }
}

/** Returns the events of a trace. */
async function recorded(browser, page, what) {
  await browser.startTracing(page, { categories })
  let trace
  try {
    await what()
  } finally {
    trace = await browser.stopTracing()
    writeFileSync(file, trace)
    console.log(`All of it is in ${file}.`)
  }
  return JSON.parse(trace).traceEvents
}

function print(events) {
  const request = events.find((e) => e.name === 'ResourceSendRequest')
  const { pid, tid } = request
  const start = events.findLast((e) => e.name === 'navigationStart' && e.pid === pid && e.ts <= request.ts)?.ts ?? request.ts
  const ms = (ts) => String(Math.round((ts - start) / 1000)).padStart(5)
  const lines = []
  for (const one of requests(events, start)) lines.push([one.from, `${ms(one.from)} –${ms(one.to)}  ${one.method} ${one.address} (answered ${ms(one.answered).trim()}, ${one.bytes} B)`])
  const own = events.filter((e) => e.pid === pid && e.tid === tid && e.ph === 'X' && e.ts >= start && !/^(DocumentLoader|NavigationBodyLoader|HTMLDocumentParser)::/.test(e.name)).sort((a, b) => a.ts - b.ts || b.dur - a.dur)
  const profile = samples(events.filter((e) => e.pid === pid))
  let end = start
  for (const task of own) {
    if (task.ts < end) continue // a part of the one before
    end = task.ts + task.dur
    if (task.dur < least * 1000) continue
    const parts = selfTimes(own.filter((e) => e.ts >= task.ts && e.ts + e.dur <= end && e !== task && !e.name.includes('unction'))) // calls are among the functions
    const functions = new Map()
    for (const { ts, took, name } of profile) if (ts >= task.ts && ts < end) functions.set(name, (functions.get(name) ?? 0) + took)
    const list = (times, most) => [...times].sort((a, b) => b[1] - a[1]).slice(0, most).filter(([, took]) => took >= 2000).map(([name, took]) => `${name} ${Math.round(took / 1000)}`).join(', ')
    lines.push([task.ts, `${ms(task.ts)} –${ms(end)}    task of ${Math.round(task.dur / 1000)} ms: ${list(parts, named)}\n${' '.repeat(16)}in ${list(functions, named)}`])
  }
  for (const { name, ts } of events.filter((e) => e.pid === pid && e.name === 'firstContentfulPaint' && e.ts >= start)) lines.push([ts, `${ms(ts)}         ${name}`])
  console.log(lines.sort((a, b) => a[0] - b[0]).map(([, line]) => line).join('\n'))
}

function requests(events, start) {
  const all = new Map()
  for (const { name, ts, args: { data } } of events.filter((e) => e.name.startsWith('Resource') && e.args.data?.requestId !== undefined)) {
    const one = all.get(data.requestId) ?? { from: ts, to: ts, answered: ts, bytes: 0 }
    all.set(data.requestId, one)
    if (name === 'ResourceSendRequest') Object.assign(one, { method: data.requestMethod, address: new URL(data.url).pathname })
    else if (name === 'ResourceReceiveResponse') one.answered = ts
    else if (name === 'ResourceFinish') Object.assign(one, { to: ts, bytes: data.encodedDataLength })
  }
  return [...all.values()].filter((one) => one.address !== undefined && one.from >= start)
}

/** Returns how long events took by their names, without those that are within them: by the clock, or in processor time (tdur). */
function selfTimes(events, measure = 'dur') {
  const times = new Map()
  const open = []
  const add = (name, took) => times.set(name, (times.get(name) ?? 0) + took)
  for (const event of events) {
    while (open.length > 0 && open.at(-1).ts + open.at(-1).dur <= event.ts) open.pop()
    if (open.length > 0) add(open.at(-1).name, -(event[measure] ?? 0))
    add(event.name, event[measure] ?? 0)
    open.push(event)
  }
  return times
}

/** Returns what the profiler saw: when, how long, and in which function. */
function samples(events) {
  const seen = []
  const nodes = new Map()
  let at = 0
  for (const { name, args: { data } } of events) {
    if (name === 'Profile') at = data.startTime
    if (name !== 'ProfileChunk') continue
    for (const { id, callFrame: { functionName, url = '', lineNumber, columnNumber } } of data.cpuProfile?.nodes ?? []) {
      const place = url === '' ? '' : ` ${url.split('/').at(-1)}:${lineNumber + 1}:${columnNumber + 1}`
      nodes.set(id, (functionName || 'unnamed') + place)
    }
    for (const [i, sample] of (data.cpuProfile?.samples ?? []).entries()) {
      at += data.timeDeltas[i]
      seen.push({ ts: at, took: data.timeDeltas[i], name: nodes.get(sample) })
    }
  }
  return seen
}
