/** Recognizes the format of a file from its content. Names and content types are often wrong. */
import { decoderFor } from '#shared/reports/decoded-text.ts';
import type { ReportFormat } from '#shared/reports/report.ts';

export type Detected =
  | { readonly kind: 'format'; readonly format: ReportFormat }
  /** A report of a tool whose format is not accepted. */
  | { readonly kind: 'foreign'; readonly what: string; readonly advice: string }
  | { readonly kind: 'unknown' };

const UNKNOWN: Detected = { kind: 'unknown' };
const found = (format: ReportFormat): Detected => ({ kind: 'format', format });

/** Root elements of other formats. */
const FOREIGN_ROOTS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['testng-results', ['a TestNG report', 'Send the JUnit XML files that TestNG or Maven Surefire writes beside it']],
  ['test-run', ['an NUnit report', 'Write JUnit XML with NunitXml.TestLogger or JunitXml.TestLogger']],
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

/** `beginning`: the first bytes of the inflated file. */
export function detect(beginning: Uint8Array): Detected {
  const text = decoderFor(beginning).decode(beginning).trimStart();
  if (text.startsWith('<')) return inXml(text);
  if (text.startsWith('{')) return inJson(text);
  return UNKNOWN;
}

/** Passes over declarations and comments. */
const ROOT = /^(?:<\?[^>]*>|<!--.*?-->|<!DOCTYPE(?! html)[^>[]*(?:\[[^\]]*\][^>]*)?>|\s+)*<([!\w][\w.:-]*)/is;

function inXml(text: string): Detected {
  const name = ROOT.exec(text)?.[1] ?? '';
  const root = name.slice(name.indexOf(':') + 1).toLowerCase();
  if (root === 'testsuites' || root === 'testsuite' || root === 'testcase') return found('junit');
  const other = FOREIGN_ROOTS.get(root);
  return other ? foreign(other) : UNKNOWN;
}

const has = (text: string, ...names: readonly string[]): boolean =>
  names.every((name) => new RegExp(`"${name}"\\s*:`).test(text));

/** The members that a report begins with. Playwright's `stats` stands at its end. */
function inJson(text: string): Detected {
  if (/^\{\s*"method"\s*:\s*"onBlobReportMetadata"/.test(text)) return found('playwright-blob');
  if (/"reportFormat"\s*:\s*"CTRF"/.test(text)) return found('ctrf');
  if (has(text, 'numTotalTests') || has(text, 'numFailedTestSuites'))
    return foreign([
      "Jest's or Vitest's JSON report",
      'Use jest-junit, the `junit` reporter of Vitest, or a CTRF reporter',
    ]);
  if (has(text, 'config', 'rootDir') || has(text, 'suites', 'specs') || has(text, 'config', 'suites'))
    return found('playwright-json');
  if (has(text, 'stats', 'passes') && !has(text, 'tool'))
    return foreign(["mocha's JSON report", 'Use mocha-junit-reporter or mocha-ctrf-json-reporter']);
  if (has(text, 'results', 'tool')) return found('ctrf');
  return UNKNOWN;
}
