// A chart as a picture: the drawing with its colours as they are now, its title above and its names below, at twice the size.

import { cutName } from '../components/cut-name.js'

const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'paint-order',
]
const SCALE = 2
const MARGIN = 16
const TITLE = 26
const LEGEND = 18

interface PictureOptions {
  readonly title: string
  readonly names: readonly { readonly name: string; readonly color: string }[]
}

export async function chartPng(svg: SVGSVGElement, { title, names }: PictureOptions): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect()
  const look = getComputedStyle(svg)
  const picture = await imageOf(svg, width, height)
  const canvas = document.createElement('canvas')
  const lines = legendLines(names, width)
  const tall = height + TITLE + lines.length * LEGEND + 2 * MARGIN
  canvas.width = (width + 2 * MARGIN) * SCALE
  canvas.height = tall * SCALE
  // In memory: from a graphics card it would first have to be fetched.
  const pen = canvas.getContext('2d', { willReadFrequently: true })!
  pen.scale(SCALE, SCALE)
  pen.fillStyle = resolved(svg, 'var(--surface)')
  pen.fillRect(0, 0, width + 2 * MARGIN, tall)
  pen.fillStyle = resolved(svg, 'var(--text)')
  pen.font = `600 15px ${look.fontFamily}`
  pen.fillText(title, MARGIN, MARGIN + 14, width)
  pen.drawImage(picture, MARGIN, MARGIN + TITLE, width, height)
  pen.font = `13px ${look.fontFamily}`
  lines.forEach((line, row) => {
    const y = MARGIN + TITLE + height + row * LEGEND + 12
    for (const { name, color, left } of line) {
      pen.fillStyle = resolved(svg, color)
      pen.fillRect(MARGIN + left, y - 9, 10, 10)
      pen.fillStyle = resolved(svg, 'var(--text)')
      pen.fillText(name, MARGIN + left + 15, y)
    }
  })
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the browser made no picture')) : resolve(blob))),
  )
}

/** The drawing alone, with every style written into it: a picture knows nothing of the page's styles. */
async function imageOf(svg: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [from, to] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')]
  from.forEach((element, i) => {
    const style = getComputedStyle(element)
    to[i]!.setAttribute('style', STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';'))
  })
  for (const passing of copy.querySelectorAll('[data-passing]')) passing.remove()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  await image.decode()
  return image
}

function resolved(near: Element, color: string): string {
  const probe = document.createElement('span')
  probe.style.color = color
  near.parentElement!.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

function legendLines(names: PictureOptions['names'], width: number) {
  const lines: { name: string; color: string; left: number }[][] = []
  let left = width
  for (const { name, color } of names) {
    const short = cutName(name)
    const needs = short.length * 7.2 + 30
    if (left + needs > width || lines.length === 0) {
      lines.push([])
      left = 0
    }
    lines.at(-1)!.push({ name: short, color, left })
    left += needs
  }
  return lines
}
