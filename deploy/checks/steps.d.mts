export function stepsOf(path: string): readonly {
  readonly heading: string
  readonly needs: string | null
  readonly text: string
}[]
