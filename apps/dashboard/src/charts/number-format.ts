// Numbers as people read them.

export function whole(value: number): string {
  return minus(Math.round(value).toLocaleString('en'))
}

/** A minus as long as a plus. */
function minus(text: string): string {
  return text.replace('-', '−')
}

/** About three figures. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return 'not known'
  const size = Math.abs(value)
  if (size >= 1000) return whole(value)
  if (size >= 100) return minus(value.toFixed(0))
  if (size >= 10) return minus(value.toFixed(1))
  if (size >= 1) return minus(value.toFixed(2))
  if (size === 0) return '0'
  return minus(size >= 0.01 ? value.toFixed(3) : value.toPrecision(2))
}

export function percent(share: number): string {
  const value = 100 * share
  if (value > 99.95 && value < 100) return '> 99.9%'
  if (value > 0 && value < 0.05) return '< 0.1%'
  // Shares that are exact, such as those of a definition, have nothing after the point.
  const exact = Math.abs(value - Math.round(value)) < 1e-9
  const fine = !exact && (Math.abs(value) < 10 || value > 99)
  return `${value.toFixed(fine ? 1 : 0)}%`
}

export function duration(milliseconds: number): string {
  if (milliseconds === 0) return '0'
  if (milliseconds < 1) return `${milliseconds.toFixed(2)} ms`
  if (milliseconds < 1000) return `${bare(milliseconds.toFixed(milliseconds < 10 ? 1 : 0))} ms`
  const seconds = milliseconds / 1000
  if (seconds < 120) return `${bare(seconds.toFixed(seconds < 10 ? 1 : 0))} s`
  const minutes = seconds / 60
  if (minutes < 120) return `${minutes.toFixed(0)} min`
  const hours = minutes / 60
  return hours < 48 ? `${hours.toFixed(0)} h` : `${(hours / 24).toFixed(0)} days`
}

/** Zeros after the point say nothing. */
export function bare(text: string): string {
  return text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '')
}

export function clock(time: number): string {
  return new Date(time).toLocaleTimeString('en-GB')
}

/** A tick of a time axis that is `span` long: no more than tells the ticks apart. */
export function timeTick(time: number, span: number): string {
  const date = new Date(time)
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  if (span > 4 * DAY) return day
  const hours = clock(time).slice(0, span < 5 * MINUTE ? 8 : 5)
  return span > DAY ? `${day} ${hours}` : hours
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export function moment(time: number): string {
  const date = new Date(time)
  const today = new Date().toDateString() === date.toDateString()
  return today
    ? clock(time)
    : `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${clock(time).slice(0, 5)}`
}
