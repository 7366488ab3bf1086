// One icon set: 16 by 16, one stroke width, the colour of the text around.

const PATHS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'm4 4 8 8m0-8-8 8',
  plus: 'M8 3v10M3 8h10',
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  play: 'M5 3v10l8-5z',
  book: 'M3 3h4a1.5 1.5 0 0 1 1 .5A1.5 1.5 0 0 1 9 3h4v9.5H9a1 1 0 0 0-1 .6 1 1 0 0 0-1-.6H3zM8 3.5V13',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  key: 'M9.5 9.5a3.5 3.5 0 1 0-2.6-1.2L2.5 12.7V14H5v-1.5h1.5V11l1-1c.6.3 1.3-.2 2-.5ZM10.5 5.5h.01',
  warning: 'M8 2 1.8 13h12.4zM8 6.5v3M8 11.5h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5v3.5M8 5h.01',
  check: 'm3 8.5 3.2 3.2L13 5',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  left: 'M10 3 5 8l5 5',
  right: 'm6 3 5 5-5 5',
  external: 'M9 2.5h4.5V7M13.5 2.5 7 9M6 3.5H2.5v10h10V10',
  edit: 'M10.5 3 13 5.5 5.5 13H3v-2.5z',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  freeze: 'M8 1.5v13M2.4 4.8l11.2 6.4M2.4 11.2l11.2-6.4',
  undo: 'M3 6h6.5a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3',
  upload: 'M8 10.5v-8M4.5 6 8 2.5 11.5 6M2.5 13.5h11',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9',
} as const

export type IconName = keyof typeof PATHS

interface IconProps {
  readonly name: IconName
  /** Said to a screen reader; without it the icon is decoration. */
  readonly label?: string
  readonly size?: number
}

export function Icon({ name, label, size = 16 }: IconProps) {
  const said = label === undefined ? ({ 'aria-hidden': true } as const) : { role: 'img', 'aria-label': label }
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: named by aria-label, or decoration
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...said}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

export const iconNames = Object.keys(PATHS) as IconName[]
