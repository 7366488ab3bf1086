// A progress bar on stderr, only when that is a terminal: share done and time left.

/** A progress bar that is under way. */
export interface Progress {
  readonly advance: (by?: number) => void
  readonly done: () => void
}

/** Starts a progress bar; silent where the stream is no terminal. */
export function progressBar(label: string, total: number, stream: NodeJS.WriteStream = process.stderr): Progress {
  const start = performance.now()
  let done = 0
  let drawn = 0
  const draw = () => {
    const share = total > 0 ? done / total : 1
    const filled = Math.round(28 * share)
    const left = share > 0 ? ((performance.now() - start) / 1000) * (1 / share - 1) : 0
    const bar = '█'.repeat(filled) + '░'.repeat(28 - filled)
    stream.write(`\r${label} ${bar} ${String(Math.round(100 * share)).padStart(3)}%  ${left.toFixed(0)} s left  `)
  }
  return {
    advance: (by = 1) => {
      done += by
      if (!stream.isTTY || performance.now() - drawn < 100) return
      drawn = performance.now()
      draw()
    },
    done: () => {
      if (stream.isTTY) stream.write('\r\x1b[2K')
    },
  }
}
