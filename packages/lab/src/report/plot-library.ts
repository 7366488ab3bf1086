// Observable Plot on linkedom, without a browser. Their types want the DOM; this is all of them that plots here use. Loaded when
// the first picture is drawn: it takes half a second.

type Channels = Readonly<Record<string, unknown>>
export type Mark = { readonly plotMark: unique symbol }
type MarkMaker = (data: readonly unknown[], options: Channels) => Mark
type AxisMaker = (options: Channels) => Mark

export interface PlotElement {
  readonly outerHTML: string
  /** The pixel of a value. */
  scale(name: 'x' | 'y'): { apply(value: number): number }
}

export interface PlotLibrary {
  readonly document: unknown
  plot(options: Channels): PlotElement
  readonly areaY: MarkMaker
  readonly axisX: AxisMaker
  readonly axisY: AxisMaker
  readonly dot: MarkMaker
  readonly gridX: AxisMaker
  readonly gridY: AxisMaker
  readonly line: MarkMaker
  readonly ruleX: MarkMaker
  readonly ruleY: MarkMaker
}

let library: Promise<PlotLibrary> | undefined

export function plotLibrary(): Promise<PlotLibrary> {
  library ??= load()
  return library
}

async function load(): Promise<PlotLibrary> {
  const [plot, linkedom]: [unknown, unknown] = await Promise.all([import('@observablehq/plot'), import('linkedom')])
  const { document } = (linkedom as { parseHTML(html: string): { document: unknown } }).parseHTML(
    '<html><body></body></html>',
  )
  return { ...(plot as PlotLibrary), document }
}
