export interface CountingProxy {
  readonly url: string
  /** Where requests go from now on; null: nobody answers. */
  to: (url: string | null) => void
  /** Since the last time someone asked: paths, and bytes sent to the browser. */
  readonly counted: () => { readonly paths: readonly string[]; readonly bytes: number }
  /** Streams of events that are open now. */
  readonly streams: () => number
  readonly close: () => void
}

export function countingProxy(first: string): Promise<CountingProxy>
