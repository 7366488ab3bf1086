// Keys by name: what each may do, and how they are made and changed. A secret is in one reply only.

import Type, { type Static } from 'typebox'
import { Name } from './problem.js'

const closed = { additionalProperties: false } as const

/** The name of a key. */
export const KeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]*$',
  description: 'Who holds the key; it stands in the records of what its holder does.',
})

export const KeyRole = Type.Union([
  Type.Literal('decide'),
  Type.Literal('reward'),
  Type.Literal('decide+reward'),
  Type.Literal('read'),
  Type.Literal('admin'),
])
const Time = Type.Integer({ minimum: 0, maximum: 8.64e15, description: 'Milliseconds since 1970.' })
const Problems = Type.Array(Name, { minItems: 1, maxItems: 1000, description: 'The problems that it is for.' })

/** A key to be made: its name, role, problems and end. */
export const NewKey = Type.Object(
  { name: KeyName, role: KeyRole, problems: Type.Optional(Problems), expires: Type.Optional(Time) },
  closed,
)
export type NewKey = Static<typeof NewKey>

/** How long the old secret of a rotated key goes on counting. */
export const KeyRotation = Type.Object(
  {
    overlap: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30 * 86_400_000,
        description: 'Milliseconds in which the old secret still counts; default 0.',
      }),
    ),
  },
  closed,
)
export type KeyRotation = Static<typeof KeyRotation>

/** A key without its secret. */
export const KeyInfo = Type.Object({
  name: Type.String(),
  role: KeyRole,
  problems: Type.Union([Problems, Type.Null()], { description: 'null: all problems' }),
  expires: Type.Union([Time, Type.Null()]),
  created: Time,
  revoked: Type.Union([Time, Type.Null()]),
})
export type KeyInfo = Static<typeof KeyInfo>

/** All keys, revoked ones too. */
export const KeyList = Type.Object({ keys: Type.Array(KeyInfo) })
export type KeyList = Static<typeof KeyList>

/** A key with its secret, which is shown this once. */
export const NewKeyReply = Type.Object({
  ...KeyInfo.properties,
  secret: Type.String({ description: 'Shown this once.' }),
})
export type NewKeyReply = Static<typeof NewKeyReply>
