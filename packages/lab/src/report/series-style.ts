// Colours of policies, the same in all plots of a run and, for the well-known names, in all runs. Seven hues chosen by search
// so that they, a grey and the ink stay apart (OKLab distance >= 0.09) in normal, red-blind and green-blind sight, on white
// and on the dark page; further policies repeat the hues with dashes.

export interface SeriesStyle {
  readonly color: ColorName
  /** SVG dash pattern; null: a solid line. */
  readonly dash: string | null
}

const hues = ['blue', 'purple', 'amber', 'wine', 'green', 'navy', 'red'] as const

/** A colour of the plots. */
export type ColorName = (typeof hues)[number] | 'grey' | 'ink'

export interface PlotTheme {
  readonly colors: Readonly<Record<ColorName, string>>
  /** Subtitles, axis labels and notes. */
  readonly muted: string
  readonly grid: string
  /** Null: transparent. */
  readonly background: string | null
}

export const lightTheme: PlotTheme = {
  colors: {
    red: '#c54025',
    navy: '#0a5582',
    green: '#157f62',
    blue: '#2fa0f3',
    purple: '#a648c4',
    amber: '#be891e',
    wine: '#743146',
    grey: '#8a9099',
    ink: '#1b1f24',
  },
  muted: '#565e68',
  grid: '#e4e7eb',
  background: '#ffffff',
}

export const darkTheme: PlotTheme = {
  colors: {
    red: '#f28521',
    navy: '#8bd9ff',
    green: '#6cc59d',
    blue: '#2c88fb',
    purple: '#a05fba',
    amber: '#efc63f',
    wine: '#c65a4c',
    grey: '#8a929c',
    ink: '#f2f4f6',
  },
  muted: '#a3acb7',
  grid: '#2c333c',
  background: '#14181d',
}

const names = Object.keys(lightTheme.colors) as readonly ColorName[]

/** For SVG inside a page that defines `themeVariables`: one picture that follows the page's colours. */
export const pageTheme: PlotTheme = {
  colors: Object.fromEntries(names.map((name) => [name, `var(--${name})`])) as unknown as PlotTheme['colors'],
  muted: 'var(--muted)',
  grid: 'var(--grid)',
  background: null,
}

export function themeVariables(theme: PlotTheme): string {
  const colors = names.map((name) => `--${name}:${theme.colors[name]}`)
  return [
    ...colors,
    `--muted:${theme.muted}`,
    `--grid:${theme.grid}`,
    `--page:${theme.background ?? 'transparent'}`,
  ].join(';')
}

const wellKnown: readonly (readonly [name: RegExp, color: ColorName])[] = [
  [/^uniform$/, 'grey'],
  [/^sees[- ]all[- ]values/, 'ink'],
  [/^primo$/, 'red'],
  [/^primo-cal$/, 'navy'],
  [/^robust$/, 'green'],
]
const DASHES = [null, '7 3', '2 3', '9 3 2 3']

/** One style per policy; the order of the names does not matter. */
export function seriesStyles(policies: readonly string[]): ReadonlyMap<string, SeriesStyle> {
  const styles = new Map<string, SeriesStyle>()
  const uses = new Map<ColorName, number>()
  const give = (policy: string, color: ColorName) => {
    const used = uses.get(color) ?? 0
    uses.set(color, used + 1)
    styles.set(policy, { color, dash: DASHES[used % DASHES.length]! })
  }
  const sorted = [...new Set(policies)].sort((a, b) => (a < b ? -1 : 1))
  const others = sorted.filter((policy) => {
    const color = wellKnown.find(([name]) => name.test(policy))?.[1]
    if (color !== undefined) give(policy, color)
    return color === undefined
  })
  // The least used hue; hues kept for well-known names are the last in the list.
  for (const policy of others) {
    const least = Math.min(...hues.map((hue) => uses.get(hue) ?? 0))
    give(policy, hues.find((hue) => (uses.get(hue) ?? 0) === least)!)
  }
  return styles
}
