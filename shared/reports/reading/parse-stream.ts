/** Parses one report that is not an archive. */

import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { parseCtrf } from '#shared/reports/ctrf/parse-ctrf.ts';
import { decoded, decoderFor } from '#shared/reports/decoded-text.ts';
import { emptyReport, foreignReport, unknownReport, unreadableReport } from '#shared/reports/errors.ts';
import { parseJUnit } from '#shared/reports/junit/parse-junit.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { parseBlob } from '#shared/reports/playwright/parse-blob.ts';
import { parsePlaywrightJson } from '#shared/reports/playwright/parse-playwright-json.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { openedBeginning } from '#shared/reports/unpacked.ts';
import { isZip } from './archive.ts';

type Parser = (text: AsyncIterable<string>, input: ParserInput) => Promise<ParsedFile>;

const PARSERS: Readonly<Record<ReportFormat, Parser>> = {
  junit: parseJUnit,
  ctrf: parseCtrf,
  'playwright-json': parsePlaywrightJson,
  'playwright-blob': parseBlob,
};

export async function parseStream(stream: AsyncIterable<Uint8Array>, input: ParserInput): Promise<ParsedFile> {
  const name = input.name ?? '';
  input.reading.work(REPORT_LIMITS.work.file, name);
  let cut = false;
  const onCut = () => {
    cut = true;
  };
  const { beginning, bytes } = await openedBeginning(stream, { name, reading: input.reading, onCut });
  if (isZip(beginning)) throw unreadableReport(name, 'is a zip archive inside a compressed file');
  const format = input.format ?? detectedFormat(beginning, name);
  const file = await PARSERS[format](decoded(bytes, beginning), input);
  return cut ? { ...file, truncated: true } : file;
}

function detectedFormat(beginning: Uint8Array, name: string): ReportFormat {
  if (beginning.length === 0) throw emptyReport(name);
  const detected = detect(beginning);
  if (detected.kind === 'format') return detected.format;
  throw detected.kind === 'foreign' ? foreignReport(name, detected.what, detected.advice) : unknownReport(name);
}

// Recognizes the format of a file from its content. Names and content types are often wrong.

type Detected =
  | { readonly kind: 'format'; readonly format: ReportFormat }
  /** A report of a tool whose format is not accepted. */
  | { readonly kind: 'foreign'; readonly what: string; readonly advice: string }
  | { readonly kind: 'unknown' };

const UNKNOWN: Detected = { kind: 'unknown' };
const found = (format: ReportFormat): Detected => ({ kind: 'format', format });

/** Root elements of XML formats that are not accepted, each with the name of the format and what to send instead. */
const FOREIGN_ROOTS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['testng-results', ['a TestNG report', 'Send the JUnit XML files that TestNG or Maven Surefire writes beside it']],
  ['test-run', ['an NUnit report', 'Write JUnit XML with JunitXml.TestLogger']],
  ['test-results', ['an NUnit report', 'Write JUnit XML with JunitXml.TestLogger']],
  ['assemblies', ['an xUnit.net report', 'Write JUnit XML with JunitXml.TestLogger']],
  ['assembly', ['an xUnit.net report', 'Write JUnit XML with JunitXml.TestLogger']],
  ['testrun', ['a Visual Studio report (trx)', 'Write JUnit XML with JunitXml.TestLogger']],
  ['robot', ["Robot Framework's output.xml", 'Write JUnit XML with `--xunit`']],
  ['coverage', ['a coverage report', 'Send the report of the test results']],
  ['report', ['a coverage report', 'Send the report of the test results']],
  ['html', ['an HTML page', 'Send the JUnit XML or JSON report that the tool writes beside it']],
  ['!doctype', ['an HTML page', 'Send the JUnit XML or JSON report that the tool writes beside it']],
]);

const foreign = ([what, advice]: readonly [string, string]): Detected => ({ kind: 'foreign', what, advice });

/** Recognizes a format from the first bytes of the decompressed file. */
function detect(beginning: Uint8Array): Detected {
  const text = decoderFor(beginning).decode(beginning).trimStart();
  if (text.startsWith('<')) return inXml(text);
  if (text.startsWith('{')) return inJson(text);
  return UNKNOWN;
}

/**
 * Returns the position after the declaration or comment that begins at `at`. Returns `undefined` if none begins there,
 * or if it has no end.
 */
function endOfAside(text: string, at: number): number | undefined {
  const after = (end: string, from: number): number | undefined => {
    const found = text.indexOf(end, from);
    return found === -1 ? undefined : found + end.length;
  };
  if (text.startsWith('<?', at)) return after('>', at);
  if (text.startsWith('<!--', at)) return after('-->', at + '<!--'.length);
  if (!/^<!doctype(?! html)/i.test(text.slice(at, at + '<!doctype html'.length))) return undefined;
  const end = after('>', at);
  const entities = text.indexOf('[', at);
  if (entities === -1 || end === undefined || end < entities) return end;
  const behind = after(']', entities);
  return behind && after('>', behind);
}

const ROOT = /^<([!\w][\w.:-]*)/;

/** The name of the root element. Takes linear time, because the file is untrusted. */
function rootIn(text: string): string {
  const isBlank = /\s/;
  for (let at = 0; at < text.length; ) {
    const end = isBlank.test(text.charAt(at)) ? at + 1 : endOfAside(text, at);
    if (end === undefined) return ROOT.exec(text.slice(at))?.[1] ?? '';
    at = end;
  }
  return '';
}

function inXml(text: string): Detected {
  const name = rootIn(text);
  const root = name.slice(name.indexOf(':') + 1).toLowerCase();
  if (root === 'testsuites' || root === 'testsuite' || root === 'testcase') return found('junit');
  const other = FOREIGN_ROOTS.get(root);
  return other ? foreign(other) : UNKNOWN;
}

const MEMBER = /"(\w+)"\s*:/g;

/**
 * Detects the format from the first members of the JSON. Does not look for Playwright's `stats`, which comes at the end
 * of the file.
 */
function inJson(text: string): Detected {
  if (/^\{\s*"method"\s*:\s*"onBlobReportMetadata"/.test(text)) return found('playwright-blob');
  if (/"reportFormat"\s*:\s*"CTRF"/.test(text)) return found('ctrf');
  const members = new Set([...text.matchAll(MEMBER)].map(([, name]) => name));
  const has = (...names: readonly string[]): boolean => names.every((name) => members.has(name));
  if (has('numTotalTests') || has('numFailedTestSuites'))
    return foreign([
      "Jest's or Vitest's JSON report",
      'Use jest-junit, the `junit` reporter of Vitest, or a CTRF reporter',
    ]);
  if (has('config', 'rootDir') || has('suites', 'specs') || has('config', 'suites')) return found('playwright-json');
  if (has('stats', 'passes') && !has('tool'))
    return foreign(["mocha's JSON report", 'Use mocha-junit-reporter or mocha-ctrf-json-reporter']);
  if (has('results', 'tool')) return found('ctrf');
  return UNKNOWN;
}
