/**
 * Reports that are small when compressed and expensive to read, by format. A hundred kilobytes of gzip could inflate to
 * much more, but a request reads only a limited number of inflated bytes, so each report inflates to almost this limit.
 */

import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';

/** The maximum size of the content of a report. The rest of the limit is for the text around the content. */
const BYTES = IMPORT_LIMITS.small.bytes - 20_000;

/** Joins as many parts as fit into `bytes`. */
function filled(part: (index: number) => string, { bytes = BYTES, separator = '' } = {}): string {
  const parts: string[] = [];
  let left = bytes;
  for (let index = 0; ; index += 1) {
    const next = part(index);
    left -= Buffer.byteLength(next) + separator.length;
    if (left < 0) return parts.join(separator);
    parts.push(next);
  }
}

const list = (part: (index: number) => string): string => `[${filled(part, { separator: ',' })}]`;
const text = (part: string): string => part.repeat(Math.floor(BYTES / Buffer.byteLength(part)));
const nested = (open: string, close: string, inner = ''): string => {
  const levels = Math.floor(BYTES / (open.length + close.length));
  return `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
};
/** Fills a report with repeated stacks, each of which is nested `levels` deep. */
const stacks = (open: string, close: string, levels: number): string =>
  text(`${open.repeat(levels)}${close.repeat(levels)}`);

const suite = (inner: string, attributes = 'name="s"') => `<testsuite ${attributes}>${inner}</testsuite>`;
const testcase = (inner: string, name = 'x') => `<testcase name="${name}" file="a.js">${inner}</testcase>`;
const number = (index: number) => index.toString(36);

const JUNIT: Readonly<Record<string, () => string>> = {
  'tiny tests': () => suite(filled(() => '<testcase/>')),
  'different tests': () => suite(filled((index) => `<testcase name="${number(index)}"/>`)),
  'tests of many files': () => suite(filled((index) => `<testcase name="a" file="${number(index)}"/>`)),
  'tests of one name': () => suite(filled(() => '<testcase name="a" file="a.js"/>')),
  'tests of Surefire of one name': () =>
    suite(
      filled(() => '<testcase name="a" classname="A" time="0"/>'),
      'name="s" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd"',
    ),
  'failed tests': () => suite(filled((index) => `<testcase name="${number(index)}"><failure/></testcase>`)),
  'failed tests with stacks': () =>
    suite(filled((index) => testcase(`<failure message="m">${'at a.js:1:1\n'.repeat(20)}</failure>`, number(index)))),
  'failures of one test': () => suite(testcase(filled(() => '<failure/>'))),
  'tries of one test': () => suite(testcase(filled(() => '<flakyFailure message="a"/>'))),
  suites: () => `<testsuites>${filled(() => '<testsuite/>')}</testsuites>`,
  'suites with attributes': () =>
    `<testsuites>${filled((index) => `<testsuite name="${number(index)}" hostname="h" a="b"/>`)}</testsuites>`,
  'nested suites': () => nested('<testsuite>', '</testsuite>', '<testcase name="x"/>'),
  'suites nested to the limit': () =>
    `<testsuites>${stacks('<testsuite>', '</testsuite>', REPORT_LIMITS.depth - 1)}</testsuites>`,
  'unknown elements': () => suite(filled(() => '<a/>')),
  'unknown elements with text': () => suite(filled(() => '<a>b</a>')),
  'elements of a test': () => suite(testcase(filled(() => '<a/>'))),
  'elements nested to the limit': () => suite(testcase(stacks('<a>', '</a>', REPORT_LIMITS.depth - 2))),
  'closing tags': () => suite(filled(() => '</a>')),
  properties: () => suite(`<properties>${filled(() => '<property name="a" value="b"/>')}</properties>`),
  'properties of a test': () => suite(testcase(filled(() => '<property name="a" value="b"/>'))),
  'attributes of one element': () => suite(`<testcase ${filled((index) => `a${number(index)}="" `)}/>`),
  'attributes without a value': () => suite(`<testcase ${filled(() => 'a ')}/>`),
  'elements with 64 attributes': () =>
    suite(filled(() => `<testcase ${Array.from({ length: 64 }, (_, at) => `a${at}=""`).join(' ')}/>`)),
  'one long attribute': () => suite(`<testcase name="${text('x')}"/>`),
  'long attributes': () => suite(filled((index) => `<testcase name="${number(index)}${'x'.repeat(10_000)}"/>`)),
  'entities in text': () => suite(testcase(`<failure>${text('&lt;')}</failure>`)),
  'entities in an attribute': () => suite(`<testcase name="${text('&amp;')}"/>`),
  'numeric entities': () => suite(testcase(`<system-out>${text('&#9;')}</system-out>`)),
  'numeric entities in attributes': () => suite(filled(() => `<testcase name="${'&#x9;'.repeat(20_000)}"/>`)),
  'bare ampersands': () => suite(testcase(`<failure>${text('&')}</failure>`)),
  'repeated text': () => suite(testcase(`<failure>${text('no ')}</failure>`)),
  'output of a failed test': () => suite(testcase(`<failure/><system-out>${text('no\n')}</system-out>`)),
  'output of all tests': () =>
    suite(filled((index) => testcase(`<failure/><system-out>${'out\n'.repeat(100)}</system-out>`, number(index)))),
  attachments: () => suite(testcase(`<failure/><system-out>${text('[[ATTACHMENT|a.png]]\n')}</system-out>`)),
  'attachments of all tests': () =>
    suite(filled((index) => testcase(`<system-out>${'[[ATTACHMENT|a]]\n'.repeat(20)}</system-out>`, number(index)))),
  sections: () => suite(testcase(`<failure>${text('<![CDATA[a]]>')}</failure>`)),
  'beginnings of sections': () => suite(testcase(`<failure>${text('<![CDATA[')}</failure>`)),
  comments: () => suite(text('<!---->')),
  'comments with text': () => suite(text('<!--a-->')),
  'processing instructions': () => suite(text('<?a?>')),
  declarations: () => `${text('<!a>')}<testsuite><testcase name="a"/></testsuite>`,
  'entities of a document type': () =>
    `<!DOCTYPE a [${text('<!ENTITY b "&b;&b;">')}]><testsuite><testcase name="&b;"/></testsuite>`,
  angles: () => suite(text('<')),
  blanks: () => suite(text(' ')),
  roots: () => text('<testsuite><testcase name="a"/></testsuite>'),
  'escape codes in names': () => suite(filled(() => `<testcase name="${'&#27;[31m'.repeat(2000)}"/>`)),
  'long paths': () => suite(filled((index) => `<testcase name="a" file="${'a/'.repeat(400)}${number(index)}"/>`)),
  times: () =>
    suite(filled((index) => `<testcase name="${number(index)}" time="1" timestamp="2026-11-02T09:00:00Z"/>`)),
  'long titles of pytest': () =>
    suite(
      filled((index) => `<testcase classname="${'a.'.repeat(200)}" name="${number(index)}"/>`),
      'name="pytest"',
    ),
};

const ctrf = (tests: string, more = '') =>
  `{"reportFormat":"CTRF","results":{"tool":{"name":"x"},${more}"tests":${tests}}}`;
const ofCtrf = (members: string) => ctrf(`[{"name":"a","status":"failed",${members}}]`);

const CTRF: Readonly<Record<string, () => string>> = {
  'empty tests': () => ctrf(list(() => '{}')),
  'numbers instead of tests': () => ctrf(list(() => '0')),
  'lists instead of tests': () => ctrf(list(() => '[]')),
  'tiny tests': () => ctrf(list(() => '{"name":"a"}')),
  'different tests': () => ctrf(list((index) => `{"name":"${number(index)}","status":"passed"}`)),
  'tests of many files': () => ctrf(list((index) => `{"name":"a","filePath":"${number(index)}"}`)),
  'failed tests': () =>
    ctrf(list((index) => `{"name":"${number(index)}","status":"failed","message":"m","trace":"t"}`)),
  'tests with retries': () => ctrf(list((index) => `{"name":"${number(index)}","status":"failed","retries":50}`)),
  'tests with tries': () =>
    ctrf(list((index) => `{"name":"${number(index)}","status":"failed","retryAttempts":[${Array(50).fill('{}')}]}`)),
  'tries of one test': () => ofCtrf(`"retryAttempts":${list(() => '{}')}`),
  'tags of one test': () => ofCtrf(`"tags":${list(() => '"@a"')}`),
  'suites of one test': () => ofCtrf(`"suite":${list(() => '"a"')}`),
  'a joined suite': () => ofCtrf(`"suite":"${text('a > ')}"`),
  'suites of all tests': () => ctrf(list((index) => `{"name":"${number(index)}","suite":[${Array(100).fill('"a"')}]}`)),
  'a long suite with a long name': () =>
    ofCtrf(`"suite":["${'a'.repeat(1_900_000)}"],"filePath":"${'a'.repeat(1_900_000)}"`),
  'steps of one test': () => ofCtrf(`"steps":${list(() => '{}')}`),
  'failed steps': () => ofCtrf(`"steps":${list(() => '{"name":"a","status":"failed"}')}`),
  'nested steps': () => ofCtrf(`"steps":${list(() => `${'{"steps":['.repeat(25)}${']}'.repeat(25)}`)}`),
  'steps of all tests': () =>
    ctrf(list((index) => `{"name":"${number(index)}","status":"failed","steps":[${Array(100).fill('{}')}]}`)),
  'output of one test': () => ofCtrf(`"stdout":${list(() => '"a"')}`),
  'empty output of one test': () => ofCtrf(`"stdout":${list(() => '""')}`),
  'output of all tests': () =>
    ctrf(list((index) => `{"name":"${number(index)}","status":"failed","stdout":[${Array(500).fill('"a"')}]}`)),
  annotations: () => ofCtrf(`"extra":{"annotations":${list(() => '{"type":"a"}')}}`),
  attachments: () => ofCtrf(`"attachments":${list(() => '{}')}`),
  'attachments with content': () => ofCtrf(`"attachments":${list(() => '{"body":"YQ=="}')}`),
  'a large attachment': () => ofCtrf(`"attachments":[{"body":"${text('YWFh')}"}]`),
  'unknown members': () => ofCtrf(`"x":{${filled((index) => `"${number(index)}":0`, { separator: ',' })}}`),
  'unknown lists': () => ofCtrf(`"x":${list(() => '[]')}`),
  'unknown objects': () => ofCtrf(`"x":${list(() => '{}')}`),
  'unknown numbers': () => ofCtrf(`"x":${list(() => '0')}`),
  'long numbers': () => ofCtrf(`"x":${list(() => '9'.repeat(63))}`),
  'unknown texts': () => ofCtrf(`"x":${list(() => '""')}`),
  'lists outside tests': () => ctrf('[{"name":"a"}]', `"x":${list(() => '[]')},`),
  'numbers outside tests': () => ctrf('[{"name":"a"}]', `"x":${list(() => '0')},`),
  'deep lists': () => ofCtrf(`"x":${nested('[', ']')}`),
  'lists to the limit': () => ofCtrf(`"x":[${filled(() => `${'['.repeat(50)}${']'.repeat(50)}`, { separator: ',' })}]`),
  'deep lists outside tests': () => ctrf('[{"name":"a"}]', `"x":${nested('[', ']')},`),
  blanks: () => ctrf(`[${text(' ')}]`),
  commas: () => ctrf(`[${text(',')}]`),
  colons: () => ctrf(`[{"name"${text(':')}"a"}]`),
  escapes: () => ofCtrf(`"message":"${text('\\n')}"`),
  'escaped quotes': () => ofCtrf(`"message":"${text('\\"')}"`),
  'escaped characters': () => ofCtrf(`"message":"${text('\\u0041')}"`),
  'texts of escapes': () => ofCtrf(`"x":${list(() => '"\\n"')}`),
  'one long text': () => ofCtrf(`"message":"${text('x')}"`),
  'one long text of blanks': () => ofCtrf(`"message":"${text(' ')}","trace":"x"`),
  'a long stack': () => ofCtrf(`"filePath":"aaa","trace":"${text('aaa ')}"`),
  'long names': () =>
    ofCtrf(`"x":{${filled((index) => `"${number(index)}${'x'.repeat(1000)}":0`, { separator: ',' })}}`),
  'the same name': () => ofCtrf(`${filled(() => '"tags":0', { separator: ',' })}`),
  environments: () =>
    `{"reportFormat":"CTRF","results":{${filled(() => '"environment":{}', { separator: ',' })},"tests":[{"name":"a"}]}}`,
  tools: () =>
    `{"reportFormat":"CTRF","results":{${filled(() => '"tool":{}', { separator: ',' })},"tests":[{"name":"a"}]}}`,
};

const playwright = (suites: string, more = '') =>
  `{"config":{"version":"1.65.1","rootDir":"/"},${more}"suites":${suites}}`;
const ofFile = (members: string) => playwright(`[{"title":"a.js","file":"a.js",${members}}]`);
const ofSpec = (members: string) => ofFile(`"specs":[{"title":"a",${members}}]`);
const ofTest = (members: string) => ofSpec(`"tests":[{"projectName":"p",${members}}]`);
const ofResult = (members: string) => ofTest(`"results":[{"status":"failed",${members}}]`);

const JSON_OF_PLAYWRIGHT: Readonly<Record<string, () => string>> = {
  'empty suites': () => playwright(list(() => '{}')),
  'numbers instead of suites': () => playwright(list(() => '0')),
  'suites of one test': () =>
    playwright(list((index) => `{"file":"${number(index)}","specs":[{"tests":[{"results":[{}]}]}]}`)),
  'empty suites of a suite': () => ofFile(`"suites":${list(() => '{}')}`),
  'nested suites': () => ofFile(`"suites":${list(() => `${'{"suites":['.repeat(25)}${']}'.repeat(25)}`)}`),
  'nested suites with titles': () =>
    ofFile(
      `"suites":${list(() => `${'{"title":"a","suites":['.repeat(25)}{"specs":[{"tests":[{"results":[{}]}]}]}${']}'.repeat(25)}`)}`,
    ),
  'empty specs': () => ofFile(`"specs":${list(() => '{}')}`),
  'specs of one test': () =>
    ofFile(`"specs":${list((index) => `{"title":"${number(index)}","tests":[{"results":[{}]}]}`)}`),
  'empty tests': () => ofSpec(`"tests":${list(() => '{}')}`),
  'tests of a spec': () => ofSpec(`"tests":${list(() => '{"results":[{}]}')}`),
  'failed tests of a spec': () =>
    ofSpec(`"tests":${list(() => '{"results":[{"status":"failed","errors":[{"message":"m","stack":"s"}]}]}')}`),
  'results of a test': () => ofTest(`"results":${list(() => '{}')}`),
  'failed results of a test': () => ofTest(`"results":${list(() => '{"status":"failed"}')}`),
  'errors of a result': () => ofResult(`"errors":${list(() => '{}')}`),
  'steps of a result': () => ofResult(`"steps":${list(() => '{}')}`),
  'nested steps': () => ofResult(`"steps":${list(() => `${'{"steps":['.repeat(25)}${']}'.repeat(25)}`)}`),
  'steps of all tests': () =>
    ofSpec(`"tests":${list(() => `{"results":[{"status":"failed","steps":[${Array(100).fill('{}')}]}]}`)}`),
  'output of a result': () => ofResult(`"stdout":${list(() => '{}')}`),
  'texts of the output': () => ofResult(`"stdout":${list(() => '{"text":"a"}')}`),
  'encoded output': () => ofResult(`"stdout":${list(() => '{"buffer":"YQ=="}')}`),
  attachments: () => ofResult(`"attachments":${list(() => '{}')}`),
  'attachments with content': () => ofResult(`"attachments":${list(() => '{"body":"YQ=="}')}`),
  'a large attachment': () => ofResult(`"attachments":[{"body":"${text('YWFh')}"}]`),
  annotations: () => ofTest(`"annotations":${list(() => '{"type":"a"}')},"results":[{}]`),
  tags: () => ofSpec(`"tags":${list(() => '"a"')},"tests":[{"results":[{}]}]`),
  'errors of the run': () => playwright('[]', `"errors":${list(() => '{}')},`),
  'long errors of the run': () => playwright('[]', `"errors":[{"message":"${text('\\u001b[31m')}"}],`),
  versions: () => `{"config":{"rootDir":"/",${filled(() => '"version":"1"', { separator: ',' })}},"suites":[{}]}`,
  'unknown numbers': () => ofFile(`"x":${list(() => '0')}`),
  'unknown objects': () => ofFile(`"x":${list(() => '{}')}`),
  'a title of escapes': () => ofSpec(`"title":"${text('\\u001b')}","tests":[{"results":[{}]}]`),
  'a long title': () => ofSpec(`"title":"${text('/tmp/a ')}","tests":[{"results":[{}]}]`),
  'many long titles': () =>
    ofFile(`"specs":${list((index) => `{"title":"${'x'.repeat(3000)}${number(index)}","tests":[{"results":[{}]}]}`)}`),
};

const METADATA = '{"method":"onBlobReportMetadata","params":{"version":2}}';
const project = (entries: string, more = '') =>
  `{"method":"onProject","params":{"project":{"name":"p","suites":[{"title":"a.js","location":{"file":"a.js"},${more}"entries":${entries}}]}}}`;
const begin = (id: string) => `{"method":"onTestBegin","params":{"testId":"${id}","result":{"id":"${id}"}}}`;
const end = (id: string, members = '') =>
  `{"method":"onTestEnd","params":{"test":{"testId":"${id}"},"result":{"id":"${id}","status":"failed"${members}}}}`;
const blob = (...lines: readonly string[]) =>
  [METADATA, ...lines, '{"method":"onEnd","params":{"result":{}}}', ''].join('\n');
const ofOne = (...lines: readonly string[]) =>
  blob(project('[{"title":"a","testId":"a"}]'), begin('a'), ...lines, end('a'));
const event = (method: string, params: string) => `{"method":"${method}","params":${params}}\n`;

const BLOB: Readonly<Record<string, () => string>> = {
  'empty entries': () => blob(project(list(() => '{}'))),
  'tests without a result': () => blob(project(list((index) => `{"testId":"${number(index)}"}`))),
  'nested entries': () => blob(project(list(() => `${'{"entries":['.repeat(25)}${']}'.repeat(25)}`))),
  'nested entries with titles': () =>
    blob(
      project(
        list((index) => `${'{"title":"a","entries":['.repeat(25)}{"testId":"${number(index)}"}${']}'.repeat(25)}`),
      ),
    ),
  'deep entries': () => blob(project(`[${nested('{"entries":[', ']}')}]`)),
  'deep lists': () => blob(`{"method":"onAttach","params":${nested('[', ']')}}`),
  lists: () => blob(`{"method":"onAttach","params":${list(() => '[]')}}`),
  objects: () => blob(`{"method":"onAttach","params":${list(() => '{}')}}`),
  numbers: () => blob(`{"method":"onAttach","params":${list(() => '0')}}`),
  names: () =>
    blob(`{"method":"onAttach","params":{${filled((index) => `"${number(index)}":0`, { separator: ',' })}}}`),
  'different objects': () => blob(`{"method":"onAttach","params":${list((index) => `{"${number(index)}":0}`)}}`),
  'different texts': () => blob(`{"method":"onAttach","params":${list((index) => `"${number(index)}"`)}}`),
  'tests of one result': () => {
    const bytes = Math.floor(BYTES / 4);
    const entries = filled((index) => `{"testId":"${number(index)}"}`, { bytes, separator: ',' });
    const ids = entries.split(',').map((_, index) => number(index));
    return blob(project(`[${entries}]`), ids.map((id) => `${begin(id)}\n${end(id)}\n`).join('')).slice(0, BYTES);
  },
  'lines without an event': () => blob(filled(() => '{}\n')),
  'damaged lines': () => blob(filled(() => '{\n')),
  'empty lines': () => blob(text('\n')),
  'blank lines': () => blob(text(' \n')),
  'numbers instead of lines': () => blob(text('0\n')),
  'unknown events': () => blob(filled(() => event('x', '0'))),
  'empty events': () => blob(filled(() => '{"method":""}\n')),
  projects: () => blob(filled(() => event('onProject', '{}'))),
  metadata: () => blob(filled(() => event('onBlobReportMetadata', '{}'))),
  configurations: () => blob(filled(() => event('onConfigure', '{"config":{}}'))),
  'begins of one test': () =>
    ofOne(filled((index) => `${begin('a').replace('"id":"a"', `"id":"${number(index)}"`)}\n`)),
  'ends of one test': () => ofOne(filled(() => `${begin('a')}\n${end('a')}\n`)),
  steps: () =>
    ofOne(filled((index) => event('onStepBegin', `{"testId":"a","resultId":"a","step":{"id":"${number(index)}"}}`))),
  'ends of steps': () =>
    ofOne(
      event('onStepBegin', '{"testId":"a","resultId":"a","step":{"id":"a"}}').trim(),
      filled(() => event('onStepEnd', '{"testId":"a","resultId":"a","step":{"id":"a","error":{"message":"m"}}}')),
    ),
  'attachments of a line': () =>
    ofOne(`{"method":"onAttach","params":{"testId":"a","resultId":"a","attachments":${list(() => '{}')}}}`),
  'attachments with content': () =>
    ofOne(
      `{"method":"onAttach","params":{"testId":"a","resultId":"a","attachments":${list(() => '{"base64":"YQ=="}')}}}`,
    ),
  'a large attachment': () =>
    ofOne(`{"method":"onAttach","params":{"testId":"a","resultId":"a","attachments":[{"base64":"${text('YWFh')}"}]}}`),
  output: () => ofOne(filled(() => event('onStdIO', '{"resultId":"a","data":"a"}'))),
  'encoded output': () => ofOne(filled(() => event('onStdIO', '{"resultId":"a","data":"YQ==","isBase64":true}'))),
  'long output': () => ofOne(`{"method":"onStdIO","params":{"resultId":"a","data":"${text('a\\n')}"}}`),
  'errors of a result': () => blob(project('[{"testId":"a"}]'), begin('a'), end('a', `,"errors":${list(() => '{}')}`)),
  'annotations of a test': () =>
    blob(
      project(`[{"testId":"a","annotations":${list((index) => `{"type":"${number(index)}"}`)}}]`),
      begin('a'),
      end('a'),
    ),
  'annotations of one test many times': () =>
    blob(
      project(
        `[{"testId":"a","annotations":[${filled((index) => `{"type":"${number(index)}"}`, { bytes: BYTES / 2, separator: ',' })}]}]`,
      ),
      filled(() => `${begin('a')}\n${end('a')}\n`, { bytes: BYTES / 2 }),
    ),
  'annotations of results': () =>
    ofOne(
      filled(
        (index) =>
          `${begin('a')}\n${end('a', `,"annotations":[${Array.from({ length: 100 }, (_, at) => `{"type":"${number(index)}${at}"}`)}]`)}\n`,
      ),
    ),
  'errors of the run': () => blob(filled(() => event('onError', '{"error":{}}'))),
};

/** `flooded-samples.ts` makes the reports of the other formats. */
export type MeasuredFormat = Extract<ReportFormat, 'junit' | 'ctrf' | 'playwright-json' | 'playwright-blob'>;

export const HOSTILE_REPORTS: Readonly<Record<MeasuredFormat, Readonly<Record<string, () => string>>>> = {
  junit: JUNIT,
  ctrf: CTRF,
  'playwright-json': JSON_OF_PLAYWRIGHT,
  'playwright-blob': BLOB,
};
