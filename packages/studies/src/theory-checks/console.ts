// Where a command writes; a test passes its own.

export interface Console {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

export interface CommandResult {
  /** 0 ok, 1 failed, 2 bad usage. */
  readonly exitCode: 0 | 1 | 2
}
