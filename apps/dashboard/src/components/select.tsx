// One of several, as the system draws it.

interface SelectProps<T extends string> {
  readonly id?: string
  /** Where no label stands beside it. */
  readonly label?: string
  readonly choices: readonly (readonly [T, string])[]
  readonly value: T
  readonly onChange: (value: T) => void
}

export function Select<T extends string>({ id, label, choices, value, onChange }: SelectProps<T>) {
  return (
    <select id={id} aria-label={label} value={value} onChange={(event) => onChange(event.target.value as T)}>
      {choices.map(([choice, name]) => (
        <option key={choice} value={choice}>
          {name}
        </option>
      ))}
    </select>
  )
}
