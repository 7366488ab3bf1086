// Calls made within a few milliseconds go out as one.

/** How calls are put together. */
export interface BatchOptions {
  /** Most calls in a batch; default 100. */
  readonly size?: number
  /** Milliseconds that a call waits for others; default 5. */
  readonly wait?: number
}

export interface Batcher<Item, Result> {
  readonly add: (item: Item) => Promise<Result>
  readonly flush: () => void
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** `send` answers every item, in order; an Error among its results rejects that item alone. */
export function createBatcher<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { size = 100, wait = 5 }: BatchOptions = {},
): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    send(batch.map(({ item }) => item)).then(
      (results) =>
        batch.forEach(({ resolve, reject }, k) => {
          const result = results[k]
          if (result === undefined || result instanceof Error) reject(result ?? new Error('the batch has no answer'))
          else resolve(result)
        }),
      (error: unknown) => {
        for (const { reject } of batch) reject(error)
      },
    )
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (waiting.length >= size) flush()
        else timer ??= setTimeout(flush, wait)
      }),
    flush,
  }
}
