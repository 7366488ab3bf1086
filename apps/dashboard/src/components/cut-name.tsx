// A name of the user's: cut where it is long, whole on hover. The middle goes: long names often begin alike.

const LONGEST = 24

export function cutName(name: string, longest = LONGEST): string {
  if (name.length <= longest) return name
  const end = Math.floor((longest - 1) / 3)
  return `${name.slice(0, longest - 1 - end)}…${name.slice(-end)}`
}

export function CutName({ name, longest = LONGEST }: { readonly name: string; readonly longest?: number }) {
  const short = cutName(name, longest)
  return short === name ? name : <span title={name}>{short}</span>
}
