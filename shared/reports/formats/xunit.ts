/** The XML reports of xUnit.net v2 and v3. */
import { findAttachedFile } from '#shared/reports/attached-file.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending } from '#shared/reports/found.ts';
import { buildTest, FAILED, PASSED, PENDING } from '#shared/reports/found-tests.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseDuration, parseTime } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import {
  ElementReader,
  findChild,
  getAttribute,
  getText,
  listChildren,
  listOuter,
  type OuterElement,
  type XmlElement,
} from '#shared/reports/xml/element-reader.ts';
import { getAssemblyName, placeClass } from './dotnet.ts';

export const XUNIT: Format = {
  format: 'xunit',
  // xUnit.net v1 has classes instead of collections.
  recognizes: ({ root, text }) => root === 'assemblies' || (root === 'assembly' && /<collection[\s>]/.test(text)),
  parse: parseXunit,
};

const ENDINGS = new Map<string, Ending>([
  ['Pass', PASSED],
  ['Skip', PENDING],
  ['NotRun', PENDING],
]);
const PLAIN: ReadonlySet<string> = new Set(['Pass', 'Fail', 'Skip']);
const BUILT: ReadonlySet<string> = new Set(['test', 'error']);

async function parseXunit(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const zone = getZone(input.timezone);
  let startedAt: number | null = null;
  const addTest = (element: XmlElement, outer: OuterElement) => {
    const word = getAttribute(element, 'result');
    const ending = ENDINGS.get(word) ?? FAILED;
    const assembly = [...listOuter(outer)].find(({ name }) => name === 'assembly');
    const traits = listChildren(findChild(element, 'traits'), 'trait');
    const failure = findChild(element, 'failure');
    const reason = getText(findChild(element, 'reason'));
    const warnings = listChildren(findChild(element, 'warnings'), 'warning').map(getText);
    report.add(
      buildTest({
        ...placeClass({
          className: getAttribute(element, 'type'),
          assembly: getAssemblyName(assembly ? getAttribute(assembly, 'name') : ''),
          name: getAttribute(element, 'name'),
        }),
        ending,
        ...(!PLAIN.has(word) && { raw: word }),
        startedAt: parseTime(getAttribute(element, 'start-rtf'), zone, input.now),
        duration: parseDuration(getAttribute(element, 'time-rtf') || getAttribute(element, 'time')),
        errors: failure ? [readFailure(failure)] : [],
        stdout: [findChild(element, 'output')?.text ?? ''],
        tags: traits.map(formatTrait),
        annotations: [
          ...(reason === '' ? [] : [{ type: 'skip', description: reason }]),
          ...warnings.map((description) => ({ type: 'warning', description })),
        ],
        files: listChildren(findChild(element, 'attachments'), 'attachment').flatMap(readAttachment),
      }),
    );
  };
  const reader = new ElementReader(
    {
      get full() {
        return report.full;
      },
      outputs: new Set(['output']),
      isBuilt: (name) => BUILT.has(name),
      open: (outer) => {
        if (outer.name !== 'assembly' && outer.parent) return;
        const localTime = `${getAttribute(outer, 'run-date')} ${getAttribute(outer, 'run-time')}`;
        startedAt ??= parseTime(getAttribute(outer, 'start-rtf') || localTime, zone, input.now);
      },
      take: (element, outer) => {
        if (element.name === 'test') return addTest(element, outer);
        const failure = findChild(element, 'failure');
        const { message } = failure ? readFailure(failure) : { message: getAttribute(element, 'name') };
        report.runError(`${getAttribute(element, 'type')}: ${message}`);
      },
    },
    input,
  );
  await reader.read(text);
  return report.finish({
    format: 'xunit',
    framework: { type: 'xunit', version: null },
    startedAt,
    truncated: report.isIncomplete(reader),
  });
}

const readFailure = (failure: XmlElement) => ({
  message: getText(findChild(failure, 'message')),
  stack: getText(findChild(failure, 'stack-trace')),
  type: getAttribute(failure, 'exception-type'),
});

function formatTrait(trait: XmlElement): string {
  const name = getAttribute(trait, 'name');
  return name === 'Category' ? getAttribute(trait, 'value') : `${name}: ${getAttribute(trait, 'value')}`;
}

/** The content is base64 if the attachment has a media type, and otherwise text. */
function readAttachment(attachment: XmlElement) {
  const contentType = getAttribute(attachment, 'media-type');
  const body = contentType === '' ? Buffer.from(attachment.text).toString('base64') : getText(attachment);
  const facts = { name: getAttribute(attachment, 'name'), contentType: contentType || 'text/plain', path: '' };
  // Without a body there is nothing to find: the report never names files.
  return body === '' ? [] : (findAttachedFile(facts, body, () => undefined) ?? []);
}
