/** A blob report of Playwright: the events of one machine, one per line. */

import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import { BACKSLASH, BRACE, BRACKET, COMMA, QUOTE } from '#shared/engine/json-bytes.ts';
import { withoutAnsi } from '#shared/engine/plain-text.ts';
import { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import { lastOf } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { startOfInstances } from '#shared/reports/start-of-instances.ts';
import { Warnings } from '#shared/reports/warnings.ts';
import { BlobEvents } from './blob-events.ts';
import { Line } from './blob-wire.ts';
import { commitIn } from './git-metadata-wire.ts';

/** Newest supported format version. */
const KNOWN_VERSION = 2;

export async function parseBlob(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const warnings = new Warnings();
  const events = new BlobEvents(input, warnings);
  let lines = 0;
  let damaged = false;
  const splitter = new LineSplitter((bytes, isWhole) => {
    lines += 1;
    if (!isWhole)
      return warnings.once('Lines of more than 32 MB are left out. They contain very large attachments', lines);
    const values = valuesIn(bytes);
    input.reading.work(REPORT_LIMITS.work.line + values * REPORT_LIMITS.work.jsonValue, input.name);
    if (values > REPORT_LIMITS.lineValues)
      return warnings.once(`Lines with more than ${REPORT_LIMITS.lineValues} values are left out`, lines);
    const line = lineIn(bytes);
    if (line) events.take(line.method, line.params);
    else damaged = true;
  }, REPORT_LIMITS.lineBytes);
  for await (const part of text) splitter.push(Buffer.from(part));
  splitter.end();
  if (!events.begun) throw unreadableReport(input.name ?? '', 'is not a blob report');
  if (events.version > KNOWN_VERSION)
    warnings.add(`The blob report has format version ${events.version}. Versions up to ${KNOWN_VERSION} are supported`);
  return parsedFile(events, { input, warnings, damaged });
}

/** Counts the JSON values in a line before it is parsed, to limit the work. Ignores punctuation inside strings. */
function valuesIn(line: Buffer): number {
  let isText = false;
  let values = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) {
      isText = !isText;
      // A string counts as an additional value, because each string takes memory and time of its own.
      if (isText) values += 1;
    }
    if (isText && byte === BACKSLASH) at += 1;
    else if (isText) continue;
    else if (byte === COMMA) values += 1;
    else if (byte === BRACKET || byte === BRACE) values += REPORT_LIMITS.work.jsonContainer;
  }
  return values;
}

function lineIn(bytes: Buffer): { readonly method: string; readonly params?: unknown } | undefined {
  try {
    return Line.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}

interface Outcome {
  readonly input: ParserInput;
  readonly warnings: Warnings;
  readonly damaged: boolean;
}

function parsedFile(events: BlobEvents, { input, warnings, damaged }: Outcome): ParsedFile {
  const collector = new Collector(warnings, input.budget, input.group ?? UNNAMED_PROJECT);
  for (const test of events.tests.found(events.ended)) collector.add(test, 'kept');
  const { instances, files } = collector.finish(lastOf);
  if (!events.ended) warnings.add('The report is incomplete: its machine crashed, or the file was truncated');
  if (damaged) warnings.add('Lines that are not valid JSON are left out');
  return {
    name: input.name ?? '',
    format: 'playwright-blob',
    dialect: null,
    framework: { type: 'playwright', version: events.frameworkVersion },
    instances,
    files,
    startedAt: startOfInstances(instances) ?? events.startedAt,
    truncated: !events.ended || damaged || collector.truncated,
    runErrors: events.runErrors.map((message) => withoutAnsi(message).slice(0, REPORT_LIMITS.messageCharacters)),
    machine: null,
    shard: events.shard,
    commit: commitIn(events.metadata),
    ciBuildId: null,
    warnings: warnings.all,
    duplicates: collector.duplicates,
  };
}
