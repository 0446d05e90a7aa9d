import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { openTestSearchIndex } from '../../test/search.ts'
import { searchTextOf } from '../requests/words/text.ts'
import type { SearchIndex } from './search-index.ts'
import { findIds, store } from './testing.ts'

// Holds (Search, lists and export): words of every script and names of programs match texts that contain them

let opened: TestDatabase
let index: SearchIndex
const texts = [
  '请增加夜间模式和导出功能，我的猫也喜欢',
  'ダークモードと検索機能を追加してください',
  'กรุณาเพิ่มโหมดมืดและการค้นหา',
  '다크모드를 추가해 주세요',
  'Добавьте тёмную тему и поиск',
  'Προσθέστε σκοτεινή λειτουργία',
  'أضف الوضعَ الداكن',
  'Café crème à Ångström, Straße nach Łódź, smørrebrød',
  'We write C++ and C#, some .NET and Node.js; F# too',
  'The field user_id and the method getUserName since v2.10.1',
  'Swift 10 and number 1',
  'हिन्दी में खोज',
  'Eine Uebersicht der Einstellungen',
  'app می\u200cخواهم پوسته',
  'العـــربية table ٤٥٦',
]
let ids: string[]

beforeAll(async () => {
  opened = await openTestDatabase()
  index = await openTestSearchIndex(opened.database)
  const nobody = { title: '', tags: [], authorName: null, authorHandle: null }
  const rows = texts.map((description) => ({ text: searchTextOf({ ...nobody, description }) }))
  ids = await store(
    opened.database,
    rows.map((row) => ({ ...row, platform: 'github', topic: 'scripts' })),
  )
})
afterAll(() => opened.close())

describe('words of every script', () => {
  it.each([
    ['夜间模式', 0],
    ['导出', 0],
    ['猫', 0],
    ['検索', 1],
    ['ダークモード', 1],
    ['ﾀﾞｰｸﾓｰﾄﾞ', 1],
    ['โหมดมืด', 2],
    ['ค้นหา', 2],
    ['다크모드', 3],
    ['ПОИСК', 4],
    ['тёмную', 4],
    ['σκοτεινη', 5],
    ['ΛΕΙΤΟΥΡΓΙΑ', 5],
    ['الوضع', 6],
    ['cafe creme', 7],
    ['STRASSE', 7],
    ['lodz', 7],
    ['smorrebrod', 7],
    ['angstrom', 7],
    ['c++', 8],
    ['C#', 8],
    ['f#', 8],
    ['.net', 8],
    ['node.js', 8],
    ['nodejs', 8],
    ['user_id', 9],
    ['userId', 9],
    ['get_user_name', 9],
    ['getusername', 9],
    ['2.10.1', 9],
    ['v2.10', 9],
    ['2.10', 9],
    ['खोज', 11],
    ['темную', 4],
    ['Übersicht', 12],
    ['Uebersicht', 12],
    ['می خواهم', 13],
    ['می\u200cخواهم', 13],
    ['میخواهم', 13],
    ['العربية', 14],
    ['table 456', 14],
    ['"table ۴۵۶"', 14],
  ])('find what contains them, first: %s', async (query, text) => {
    expect((await findIds(index, opened.database, { query })).ids[0]).toBe(ids[text])
  })

  it.each(['c', '1.2', '犬', 'ผม', '2.1', 'net framework', 'usern'])('find nothing else: %s', async (query) => {
    const found = (await findIds(index, opened.database, { query })).ids
    expect(found.map((id) => texts[ids.indexOf(id)])).toEqual([])
  })
})
