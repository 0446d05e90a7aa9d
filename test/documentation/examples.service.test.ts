import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDemoCorpus } from '../../simulator/demo-corpus/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../../simulator/simulator.ts'
import { startTestService, type TestService } from '../service.ts'
import { createFolder, examplesIn, formOf, readDocument, recorded, runExample, writeDocument } from './examples.ts'

// Holds (Documentation): every guide example that says `run` runs, and answers in the form shown

// Takes seconds: each example is a process of its own.

const guides = [
  '../README',
  'quickstart',
  'collecting',
  'feedback',
  'searching',
  'wishes',
  'briefs',
  'pushes',
  'watches',
  'webhooks',
  'api',
  'limits',
  'credits',
]
/** Writes the answers into the guides: RECORD_EXAMPLES=1 npm test -- test/documentation */
const records = process.env.RECORD_EXAMPLES === '1'

let simulator: PlatformSimulator
let environment: Record<string, string>
let service: TestService
const folder = createFolder()

beforeAll(async () => {
  simulator = await startPlatformSimulator({ corpus: createDemoCorpus(new Date()), hasNames: true, limits: 'none' })
  service = await startTestService({ environment: simulator.environment, placesRequests: true })
  const { body } = await service.client.scrape({ topic: 'dark mode', depth: 3 })
  await service.client.waitForJob(body.data.jobId)
  await service.placeRequests()
  environment = {
    WISHWELL_URL: service.url,
    WISHWELL_API_KEY: service.apiKey,
    ADMIN_API_KEY: service.adminKey,
    WEBHOOK_URL: 'https://1.1.1.1/hooks/wishwell',
    ACCOUNT_ID: (await service.createAccount()).accountId,
  }
})
afterAll(async () => {
  await service.stop()
  await simulator.stop()
  folder.remove()
})

it.each(guides)('the examples of %s', { timeout: 120_000 }, async (name) => {
  const document = readDocument(name)
  const examples = examplesIn(document)
  expect(examples.length).toBeGreaterThan(0)
  const answers: string[] = []
  for (const example of examples) {
    const { answer } = example
    const printed = await runExample(example, folder.directory, environment)
    const text = answer === null ? '' : recorded(printed, answer.language)
    answers.push(text)
    expect(printed, example.code).not.toBe('')
    expect(printed, example.code).not.toContain('{"error":')
    if (records || answer === null) continue
    if (answer.language === 'text') expect(text, example.code).toBe(answer.text)
    else expect(formOf(JSON.parse(text)), example.code).toEqual(formOf(JSON.parse(answer.text)))
  }
  if (!records) return
  const withAnswers = examples.reduceRight(
    (text, { answer, start, end }, index) =>
      answer === null ? text : text.slice(0, start) + answers[index] + text.slice(end),
    document,
  )
  writeDocument(name, withAnswers)
})
