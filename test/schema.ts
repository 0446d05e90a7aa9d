import { sql } from 'kysely'
import type { Database } from '../src/database/open.ts'

const ours = "(select oid from pg_namespace where nspname = 'public')"
/** What an extension brings is no part of our schema. */
const ofNoExtension = (oid: string) =>
  `not exists (select from pg_depend where pg_depend.objid = ${oid} and pg_depend.deptype = 'e')`

const description = `
  select concat_ws(' ', 'table', relname, relpersistence, reloptions::text) as line
    from pg_class where relnamespace = ${ours} and relkind = 'r'
  union all select concat_ws(' ', 'column', relname, attnum, attname, format_type(atttypid, atttypmod),
      case when attnotnull then 'not null' end, 'storage', attstorage, 'generated', attgenerated, 'identity', attidentity,
      'collation', (select collname from pg_collation where pg_collation.oid = attcollation),
      'default', pg_get_expr(adbin, adrelid))
    from pg_class join pg_attribute on attrelid = pg_class.oid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = ${ours} and relkind = 'r' and attnum > 0 and not attisdropped
  union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid))
    from pg_constraint where connamespace = ${ours} and conrelid <> 0
  union all select concat_ws(' ', 'index', pg_get_indexdef(indexrelid), 'valid', indisvalid)
    from pg_index join pg_class on pg_class.oid = indrelid where relnamespace = ${ours}
  union all select concat_ws(' ', 'trigger', pg_get_triggerdef(pg_trigger.oid), 'enabled', tgenabled)
    from pg_trigger join pg_class on pg_class.oid = tgrelid where relnamespace = ${ours} and not tgisinternal
  union all select concat_ws(' ', 'function', pg_get_functiondef(oid))
    from pg_proc where pronamespace = ${ours} and prokind = 'f' and ${ofNoExtension('pg_proc.oid')}
  union all select concat_ws(' ', 'sequence', to_jsonb(s) - 'last_value' - 'sequenceowner')
    from pg_sequences as s where schemaname = 'public'
  union all select concat_ws(' ', 'text search', cfgname, maptokentype, mapseqno, dictname, dictinitoption)
    from pg_ts_config join pg_ts_config_map on mapcfg = pg_ts_config.oid join pg_ts_dict on pg_ts_dict.oid = mapdict
    where cfgnamespace = ${ours}
  union all select concat_ws(' ', 'type', typname, typtype)
    from pg_type where typnamespace = ${ours} and typtype in ('e', 'd', 'r') and ${ofNoExtension('pg_type.oid')}
  union all select concat_ws(' ', 'view', relname, pg_get_viewdef(oid))
    from pg_class where relnamespace = ${ours} and relkind in ('v', 'm') and ${ofNoExtension('pg_class.oid')}`

/**
 * Everything that the tables of Wishwell are made of, in one order: columns with their positions and defaults, constraints with
 * their names, indexes, triggers, functions, sequences and settings. Equal lists mean equal schemas.
 */
export async function readSchema(database: Database): Promise<string[]> {
  const { rows } = await sql.raw<{ line: string }>(description).execute(database)
  return rows.map(({ line }) => line).sort()
}
