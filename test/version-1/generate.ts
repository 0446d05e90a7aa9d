import { writeFileSync } from 'node:fs'
import { statements } from '../../src/database/migrations/001-version-1.ts'

// Writes schema.sql: `node test/version-1/generate.ts`. Only until version 1 is released: from then on neither changes.

const record = [
  'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
  'create table kysely_migration_lock (id varchar(255) primary key, is_locked integer not null default 0)',
  "insert into kysely_migration values ('001-version-1', '2026-11-22T10:00:00.000Z')",
  "insert into kysely_migration_lock values ('migration_lock', 0)",
]

const lines = (statement: string) =>
  statement
    .trim()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')

writeFileSync(
  new URL('./schema.sql', import.meta.url),
  `-- The tables of schema version 1, as generate.ts wrote them. Never changed after the release of 0.1.0.\n\n${[
    ...statements,
    ...record,
  ]
    .map((statement) => `${lines(statement)};\n`)
    .join('\n')}`,
)
