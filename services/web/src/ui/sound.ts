/** The sounds (available_notification_sounds), as notes: a frequency in Hz, and when it begins, in seconds. */
const sounds: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  ding: [[880, 0]],
  chime: [[659.26, 0], [987.77, 0.14]],
}

const length = 0.7

let audio: AudioContext | undefined

/** Plays a sound. Browsers are silent until somebody clicked somewhere in the page. */
export function play(name: string): void {
  audio ??= new AudioContext()
  void audio.resume()
  for (const [frequency, after] of sounds[name] ?? sounds['ding'] ?? []) {
    const begin = audio.currentTime + after
    const tone = new OscillatorNode(audio, { frequency })
    const loudness = new GainNode(audio, { gain: 0 })
    loudness.gain.setValueAtTime(0, begin)
    loudness.gain.linearRampToValueAtTime(0.2, begin + 0.01)
    loudness.gain.exponentialRampToValueAtTime(0.0001, begin + length)
    tone.connect(loudness).connect(audio.destination)
    tone.start(begin)
    tone.stop(begin + length)
  }
}
