interface Instruction {
  readonly name: string
  readonly text: string
  readonly flags: Readonly<Record<string, string>>
}

export function readDockerfile(path: string): {
  readonly args: Readonly<Record<string, string>>
  readonly stages: readonly {
    readonly name: string
    readonly base: string
    readonly instructions: readonly Instruction[]
  }[]
}

export function execForm(text: string): readonly string[] | null
