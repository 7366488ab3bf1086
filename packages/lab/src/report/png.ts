// SVG to PNG by resvg, a native module that only those who want pictures install (the command does). Text needs a font of the machine, or
// one that is given: without any, resvg draws none and says nothing, so that is found out first. Of a list of families resvg tries only
// the first; so the one to use is chosen here.

import { createRequire } from 'node:module'
import type * as ResvgModule from '@resvg/resvg-js'

export interface PngOptions {
  /** Pixels of the PNG per pixel of the SVG; default 2. */
  readonly zoom?: number
  /** Use the fonts installed on this machine; default true. */
  readonly systemFonts?: boolean
  /** Further font files (TTF, OTF). */
  readonly fontFiles?: readonly string[]
}

export type Png =
  | { readonly ok: true; readonly png: Uint8Array; readonly width: number; readonly height: number }
  | { readonly ok: false; readonly reason: string }

const NO_FONT =
  'no font was found on this machine (on Debian: apt-get install fonts-dejavu-core); the SVG files are complete'
const NO_RESVG =
  'the package @resvg/resvg-js is not installed (npm install @resvg/resvg-js); the SVG files are complete'
const FAMILIES = [
  'Segoe UI',
  'Helvetica Neue',
  'Roboto',
  'Arial',
  'Noto Sans',
  'Liberation Sans',
  'DejaVu Sans',
  'Open Sans',
]

export function svgToPng(svg: string, options: PngOptions = {}): Png {
  const Resvg = loadResvg()
  if (Resvg === null) return { ok: false, reason: NO_RESVG }
  const found = findFont(options)
  if (found === null) return { ok: false, reason: NO_FONT }
  const text = found.family === null ? svg : svg.replaceAll(/ font-family="[^"]*"/g, ` font-family="${found.family}"`)
  const image = new Resvg(text, {
    font: fontOptions(options),
    fitTo: { mode: 'zoom', value: options.zoom ?? 2 },
  }).render()
  return { ok: true, png: image.asPng(), width: image.width, height: image.height }
}

/** A sans-serif family that is there; `family: null`: none of the known ones, resvg's own choice is used; null: no font at all. */
export function findFont(options: PngOptions = {}): { readonly family: string | null } | null {
  if (loadResvg() === null) return null
  const key = JSON.stringify(fontOptions(options))
  const known = fonts.get(key)
  if (known !== undefined) return known
  const otherwise = probe('no such font', options)
  const family = FAMILIES.find((name) => probe(name, options) !== otherwise) ?? null
  const found = otherwise === null && family === null ? null : { family }
  fonts.set(key, found)
  return found
}

const fonts = new Map<string, { readonly family: string | null } | null>()

/** The room a word takes; null: no letter leaves a trace. A family that is not there takes the room of the one used instead. */
function probe(family: string, options: PngOptions): string | null {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="99"><text y="80" font-size="80" font-family="${family}">Regret by epoch</text></svg>`
  const box = new (loadResvg()!)(svg, { font: fontOptions(options) }).getBBox()
  return box === undefined ? null : `${box.x} ${box.y} ${box.width} ${box.height}`
}

function fontOptions({ systemFonts = true, fontFiles = [] }: PngOptions) {
  return { loadSystemFonts: systemFonts, fontFiles: [...fontFiles] }
}

let resvg: typeof ResvgModule.Resvg | null | undefined

/** null: not installed. */
function loadResvg(): typeof ResvgModule.Resvg | null {
  if (resvg !== undefined) return resvg
  try {
    resvg = (createRequire(import.meta.url)('@resvg/resvg-js') as typeof ResvgModule).Resvg
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    resvg = null
  }
  return resvg
}
