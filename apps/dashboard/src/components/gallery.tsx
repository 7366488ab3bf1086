// Every component once, for development: #/gallery.

import { useState } from 'react'
import { Button, ButtonLink, IconButton } from './button.js'
import { Card } from './card.js'
import { CodeBlock } from './code-block.js'
import { CutName } from './cut-name.js'
import { Dialog } from './dialog.js'
import { EmptyState } from './empty-state.js'
import { Facts } from './facts.js'
import { Field } from './field.js'
import { Icon, iconNames } from './icon.js'
import { Pill } from './pill.js'
import { Select } from './select.js'
import { Sparkline } from './sparkline.js'
import { Switch } from './switch.js'
import { Table } from './table.js'
import { Segments, Tabs } from './tabs.js'
import { say } from './toast.js'
import { Term } from './tooltip.js'

const TWELVE = Array.from({ length: 12 }, (_, i) => i + 1)

export function Gallery() {
  const [open, setOpen] = useState(false)
  const [on, setOn] = useState(true)
  const [segment, setSegment] = useState<'day' | 'all'>('day')
  return (
    <div className="stack">
      <h1>Components</h1>
      <div className="grid">
        <Card id="buttons" title="Buttons">
          <div className="row">
            <Button kind="primary" onClick={() => say('It was saved.')}>
              Primary
            </Button>
            <Button icon="copy" onClick={() => say('It could not be saved.', true)}>
              Plain
            </Button>
            <Button kind="quiet">Quiet</Button>
            <Button kind="danger" onClick={() => setOpen(true)}>
              Danger
            </Button>
            <Button unless="This needs a key of role admin; yours is read.">Refused</Button>
            <Button small>Small</Button>
            <ButtonLink href="#/gallery">Link</ButtonLink>
            <IconButton icon="menu" label="Icon" onClick={() => setOpen(true)} />
          </div>
        </Card>
        <Card id="pills" title="Status" note="Colour and form; a word beside it.">
          <div className="row">
            <Pill status="good">healthy</Pill>
            <Pill status="learning">learning</Pill>
            <Pill status="warn">needs attention</Pill>
            <Pill status="bad">failed</Pill>
            <Pill status="frozen">frozen</Pill>
            <Pill status="idle">waiting</Pill>
          </div>
        </Card>
        <Card id="fields" title="Fields">
          <div className="stack">
            <Field label="Name" hint="Letters, digits and dashes.">
              {(control) => <input type="text" {...control} />}
            </Field>
            <Field label="Smallest" error="must be below the largest">
              {(control) => <input type="number" {...control} defaultValue={3} />}
            </Field>
            <div className="row">
              <Switch label="missing" on={on} onChange={setOn} />
              <Select label="Kind" choices={[['a', 'number']]} value="a" onChange={() => {}} />
              <Segments
                label="Range"
                choices={[
                  ['day', 'Day'],
                  ['all', 'All'],
                ]}
                value={segment}
                onChange={setSegment}
              />
            </div>
          </div>
        </Card>
        <Card id="words" title="Words">
          <p>
            A <Term meaning="What it means, in one sentence.">term</Term> says its meaning.{' '}
            <CutName name="a-name-that-is-far-too-long-for-any-column-of-any-table" /> is cut.
          </p>
          <Facts
            facts={[
              ['decisions', '12,000'],
              ['missing', '55%'],
            ]}
          />
          <Sparkline values={[1, 3, 2, null, 4, 6, 5]} />
        </Card>
        <Card id="colours" title="Series and actions">
          {['series', 'action'].map((role) => (
            <p key={role} className="row">
              {TWELVE.map((i) => (
                <span key={i} style={{ width: 20, height: 20, borderRadius: 4, background: `var(--${role}-${i})` }} />
              ))}
              {role}
            </p>
          ))}
        </Card>
        <Card id="icons" title="Icons">
          <div className="row">
            {iconNames.map((name) => (
              <Icon key={name} name={name} label={name} />
            ))}
          </div>
        </Card>
        <Card id="table" title="Table">
          <Table
            caption="Example rows"
            columns={[
              { name: 'problem', cell: ({ name }) => name, by: ({ name }) => name },
              { name: 'decisions', cell: ({ count }) => count, by: ({ count }) => count, number: true },
            ]}
            rows={[
              { name: 'dosing', count: 12 },
              { name: 'pricing', count: 7 },
            ]}
            rowKey={({ name }) => name}
          />
        </Card>
        <EmptyState title="Nothing is here yet">
          <p>Say what to do.</p>
        </EmptyState>
      </div>
      <Tabs
        label="Example tabs"
        tabs={[
          { href: '#/gallery', name: 'Here', here: true },
          { href: '#/', name: 'There', here: false },
        ]}
      />
      <CodeBlock label="Lines to copy" text="curl http://localhost:8642/v1/problems" />
      {open ? (
        <Dialog
          title="Retire dosing?"
          action="Retire"
          danger
          onAction={() => setOpen(false)}
          onClose={() => setOpen(false)}
        >
          <p>It decides no more. Its log stays.</p>
        </Dialog>
      ) : null}
    </div>
  )
}
