// A number that is dragged; its value stands beside its name.

interface SliderProps {
  readonly name: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step: number
  readonly show: (value: number) => string
  readonly onChange: (value: number) => void
}

export function Slider({ name, value, min, max, step, show, onChange }: SliderProps) {
  return (
    <label className="slider">
      <span>
        {name} <b>{show(value)}</b>
      </span>
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-label={name}
        aria-valuetext={show(value)}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </label>
  )
}
