/** A blob report of Playwright: the events of one machine, one per line. */

import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import { pickLastTest } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { countValues } from '#shared/reports/lines/count-values.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { BlobEvents } from './blob-events.ts';
import { Line } from './blob-wire.ts';
import { parseCommit } from './git-metadata-wire.ts';

/** Newest supported format version. */
const KNOWN_VERSION = 2;

export const PLAYWRIGHT_BLOB: Format = {
  format: 'playwright-blob',
  recognizes: ({ text }) => /^\{\s*"method"\s*:\s*"onBlobReportMetadata"/.test(text),
  parse: parseBlob,
};

async function parseBlob(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const collector = new Collector(input, UNNAMED_PROJECT);
  const { warnings } = collector;
  const events = new BlobEvents(input, collector);
  let lines = 0;
  let hasDamagedLines = false;
  const splitter = new LineSplitter((bytes, isWhole) => {
    lines += 1;
    if (!isWhole)
      return warnings.once('Lines of more than 32 MB are left out. They contain very large attachments', lines);
    const values = countValues(bytes);
    input.reading.work(REPORT_LIMITS.work.line + values * REPORT_LIMITS.work.jsonValue, input.name);
    if (values > REPORT_LIMITS.lineValues)
      return warnings.once(`Lines with more than ${REPORT_LIMITS.lineValues} values are left out`, lines);
    const line = Line.safeParse(parseLine(bytes)).data;
    if (line) events.take(line.method, line.params);
    else hasDamagedLines = true;
  }, REPORT_LIMITS.lineBytes);
  for await (const part of text) splitter.push(Buffer.from(part));
  splitter.end();
  if (!events.begun) throw unreadableReport(input.name ?? '', 'is not a blob report');
  if (events.version > KNOWN_VERSION)
    warnings.add(`The blob report has format version ${events.version}. Versions up to ${KNOWN_VERSION} are supported`);
  for (const test of events.tests.found(events.ended)) collector.add(test, 'kept');
  const file = collector.finish(pickLastTest, {
    format: 'playwright-blob',
    framework: { type: 'playwright', version: events.frameworkVersion },
    startedAt: events.startedAt,
    milliseconds: events.milliseconds,
    truncated: !events.ended || hasDamagedLines || events.tests.tooDeep,
    runErrors: events.runErrors.map((message) =>
      removeControlSequences(message).slice(0, REPORT_LIMITS.messageCharacters),
    ),
    shard: events.shard,
    commit: parseCommit(events.metadata),
  });
  // These warnings follow those about attachments that were left out.
  if (!events.ended) warnings.add('The report is incomplete: its machine crashed, or the file was truncated');
  if (events.tests.tooDeep)
    warnings.add(`Suites are nested deeper than ${REPORT_LIMITS.suiteDepth} levels. Inner ones are left out`);
  if (hasDamagedLines) warnings.add('Lines that are not valid JSON are left out');
  return { ...file, warnings: warnings.all };
}

/** `undefined` if the line is not JSON. */
function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
