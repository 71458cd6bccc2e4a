/** Reads errors of AVA, which writes its diagnostics in YAML. */

import { PLUS_IS_EXPECTED, parseDiff } from './diff.ts';
import {
  getLinesAfter,
  getLinesBefore,
  joinLines,
  removeBlankLines,
  removeCommonIndent,
  splitAt,
  splitLines,
} from './error-lines.ts';
import type { ErrorTexts, PartialReading } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

export const isAva = ({ message }: ErrorTexts): boolean => {
  const lines = splitLines(message).map((line) => line.trimStart());
  return (
    lines.some((line) => line.startsWith('at: ')) && lines.some((line) => /^(?:name|assertion|message): /.test(line))
  );
};

export function readAva({ message }: ErrorTexts): PartialReading {
  const lines = removeCommonIndent(splitLines(message));
  const matcher = findYamlValue(lines, 'assertion');
  const name = findYamlValue(lines, 'name') ?? '';
  const text = findYamlValue(lines, 'message') ?? '';
  const details = parseDetails(lines);
  const inlineDetail = details.find(({ value }) => value !== undefined);
  const difference = details.find(({ label }) => /^Difference/.test(label));
  const isAssertion = matcher !== undefined || name === 'AssertionError';
  const errorText = isAssertion || name === '' ? text : `${name}: ${text}`;
  const detailText = inlineDetail ? `${inlineDetail.label} ${inlineDetail.value}` : '';
  const title = errorText || detailText || matcher || '';
  return {
    title: title.replace(/^Error: /, ''),
    kind: decideAvaKind(text, title, isAssertion),
    matcher,
    expected: /^Value is not `(.{1,200})`:/.exec(inlineDetail?.label ?? '')?.[1],
    received: inlineDetail?.value,
    diff: parseDiff(removeBlankLines(difference?.lines ?? []), PLUS_IS_EXPECTED),
  };
}

function decideAvaKind(text: string, title: string, isAssertion: boolean): PartialReading['kind'] {
  if (text.startsWith('Test was expected to fail, but succeeded')) return 'unexpectedPass';
  return isAssertion ? 'assertion' : decideTextKind(title);
}

/** The value of a YAML member, which may be quoted or folded over several lines. */
function findYamlValue(lines: readonly string[], name: string): string | undefined {
  const at = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (at === -1) return undefined;
  const value = lines[at]?.slice(name.length + 1).trim() ?? '';
  return /^[>|]-?$/.test(value) ? joinLines(getLinesBefore(lines.slice(at + 1), /^\S/)) : unquoteYaml(value);
}

const unquoteYaml = (value: string): string =>
  /^'[\s\S]*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;

/** The elements of `details`: each is a label with a value behind it, or with a block of lines below it. */
function parseDetails(lines: readonly string[]) {
  const detailLines = removeCommonIndent(getLinesBefore(getLinesAfter(lines, /^details:\s*$/), /^\S/));
  const starts = detailLines.flatMap((line, index) => (/^\S/.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const line = detailLines[start] ?? '';
    const [label = '', value = ''] = (line.startsWith("'") ? splitAt(line.slice(1), "': ") : splitAt(line, ': ')) ?? [];
    const isBlock = /^[>|]-?$/.test(value.trim());
    return {
      label,
      value: isBlock ? undefined : unquoteYaml(value.trim()),
      lines: removeCommonIndent(detailLines.slice(start + 1, starts[index + 1])),
    };
  });
}
