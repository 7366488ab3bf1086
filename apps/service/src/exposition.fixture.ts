// Reads the text format of Prometheus strictly: what a scraper would forgive or a linter would note is a fault.

export interface Family {
  readonly type: string
  readonly samples: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
  }[]
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$/
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] }

export function readExposition(text: string): {
  readonly families: ReadonlyMap<string, Family>
  readonly faults: readonly string[]
} {
  const families = new Map<string, Family>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  const faults: string[] = []
  let current: string | null = null
  if (!text.endsWith('\n')) faults.push('the last line does not end')
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, keyword, of, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (helped.has(of!)) faults.push(`${of} has two HELP lines`)
      helped.add(of!)
    } else if (keyword === 'TYPE') {
      if (families.has(of!)) faults.push(`${of} has two TYPE lines`)
      families.set(of!, { type: rest!, samples: [] })
      current = of!
    } else {
      const [, name, labels = '', number] = SAMPLE.exec(line) ?? []
      if (name === undefined) faults.push(`not a sample: ${line}`)
      else {
        const family = current === null ? undefined : families.get(current)
        if (family === undefined || !(SUFFIXES[family.type] ?? ['']).some((suffix) => name === current + suffix))
          faults.push(`${name} does not belong to ${current}`)
        const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number)
        if (Number.isNaN(value) && number !== 'Nan') faults.push(`not a number: ${line}`)
        const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
          ([, label, text]) => [label!, text!] as const,
        )
        if (new Set(pairs.map(([label]) => label)).size < pairs.length) faults.push(`a label twice: ${line}`)
        const key = `${name} ${JSON.stringify(pairs.toSorted())}`
        if (seen.has(key)) faults.push(`a series twice: ${line}`)
        seen.add(key)
        family?.samples.push({ name, labels: Object.fromEntries(pairs), value })
      }
    }
  }
  for (const [name, family] of families) faults.push(...faultsOf(name, family, helped.has(name)))
  return { families, faults }
}

function faultsOf(name: string, { type, samples }: Family, helped: boolean): string[] {
  const faults: string[] = []
  const refuse = (when: boolean, fault: string) => when && faults.push(`${name} ${fault}`)
  refuse(!helped, 'has no HELP')
  refuse(!/^(primo|process|nodejs)_[a-z0-9_]+$/.test(name), 'is called like nothing of ours')
  refuse(!['counter', 'gauge', 'histogram'].includes(type), `is a ${type}`)
  refuse((type === 'counter') !== name.endsWith('_total'), 'ends with _total and is no counter, or the reverse')
  refuse(/_(count|sum|bucket)$/.test(name), 'ends like a part of a histogram')
  refuse(
    /(milli|micro|nano|kilo|mega|giga)|_(ms|us|ns|kb|mb|minutes|hours|days|percent)(_|$)/.test(name),
    'is not in a base unit',
  )
  refuse(name.includes(type), 'names its type')
  if (type === 'counter')
    refuse(
      samples.some(({ value }) => !(value >= 0)),
      'has counted below 0',
    )
  if (type === 'histogram') {
    const series = new Map<string, { limits: number[]; counts: number[]; sums: number; total: number | null }>()
    for (const { name: part, labels, value } of samples) {
      const { le, ...own } = labels
      const key = JSON.stringify(own)
      const one = series.get(key) ?? { limits: [], counts: [], sums: 0, total: null }
      series.set(key, one)
      if (part.endsWith('_bucket')) {
        one.limits.push(le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le))
        one.counts.push(value)
      } else if (part.endsWith('_sum')) one.sums++
      else one.total = value
    }
    const rises = (list: readonly number[]) => list.every((value, k) => k === 0 || value >= list[k - 1]!)
    for (const [key, { limits, counts, sums, total }] of series) {
      refuse(!rises(limits) || !rises(counts), `has buckets out of order for ${key}`)
      refuse(limits.at(-1) !== Number.POSITIVE_INFINITY, `has no bucket for everything for ${key}`)
      refuse(sums !== 1 || total !== counts.at(-1), `has no sum, or a count that is not the last bucket, for ${key}`)
    }
  }
  return faults
}
