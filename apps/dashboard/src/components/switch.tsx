// On or off, at once.

interface SwitchProps {
  readonly label: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

export function Switch({ label, on, onChange }: SwitchProps) {
  return (
    <button type="button" className="switch" role="switch" aria-checked={on} onClick={() => onChange(!on)}>
      <span className="track" aria-hidden="true" />
      {label}
    </button>
  )
}
