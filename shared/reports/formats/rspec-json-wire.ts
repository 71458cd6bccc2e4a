/** The JSON formatter of RSpec. Groups are joined by blanks, as in its JUnit files. */
import * as z from 'zod';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending } from '#shared/reports/found.ts';
import { buildTest, FAILED, PASSED, PENDING } from '#shared/reports/found-tests.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { numberField, orNull, textField, textsField } from '#shared/reports/json-fields-wire.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { roundDuration } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';

export const RSPEC_JSON: Format = {
  format: 'rspec-json',
  recognizes: ({ members }) =>
    members.has('examples.*.full_description') || (members.has('examples') && members.has('version')),
  parse: parseRspec,
};

const Example = z.object({
  full_description: textField,
  description: textField,
  status: textField,
  file_path: textField,
  run_time: numberField,
  pending_message: textField,
  exception: orNull(z.object({ class: textField, message: textField, backtrace: textsField })),
});
type Example = z.output<typeof Example>;

const ENDINGS = new Map<string, Ending>([
  ['passed', PASSED],
  ['pending', PENDING],
]);

async function parseRspec(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const messages: string[] = [];
  let version: unknown;
  let outside: unknown;
  let isBegun = false;
  const reader = new PieceReader(
    ['version', 'messages.*', 'examples.*', 'summary.errors_outside_of_examples_count'],
    {
      get full() {
        return report.full;
      },
      take: (path, value, cut) => {
        isBegun = true;
        if (path === 'version') version = value;
        else if (path === 'messages.*') messages.push(textField.parse(value));
        else if (path === 'examples.*') {
          const example = cut.has(value) ? undefined : report.collector.read(Example, value);
          if (example) report.add(buildExample(example, input.root));
        } else outside = value;
      },
    },
    input,
  );
  await reader.read(text);
  if (!reader.whole && !isBegun)
    throw unreadableReport(input.name ?? '', 'is not valid JSON, or ends before its first test');
  // Messages also tell the order of the examples, and which of them were left out.
  const count = typeof outside === 'number' ? outside : 0;
  const errors = messages.map((message) => message.trim()).filter((message) => ERROR.test(message));
  if (count > 0 || !reader.whole) for (const message of errors) report.runError(message);
  if (count > 0) report.runErrorIfNone('An error occurred outside of the examples');
  return report.finish({
    format: 'rspec-json',
    framework: { type: 'rspec', version: typeof version === 'string' ? version : null },
    truncated: report.isIncomplete(reader),
  });
}

const ERROR = /error occurred/i;

function buildExample(example: Example, root: string | undefined) {
  const { full_description: name, description, status, file_path: file, run_time: seconds = 0, exception } = example;
  const ending = ENDINGS.get(status) ?? FAILED;
  return buildTest({
    spec: toSpecPath(file, root),
    title: [replaceUnstableParts(name || description)],
    ending,
    ...(ending === FAILED && status !== 'failed' && { raw: status }),
    duration: roundDuration(seconds * 1000),
    errors: exception
      ? [{ message: exception.message.trim(), stack: exception.backtrace.join('\n'), type: exception.class }]
      : [],
    annotations: example.pending_message === '' ? [] : [{ type: 'skip', description: example.pending_message }],
  });
}
