/**
 * Describes an error in one line, for lists, messages and summaries: what failed, what was expected and what was
 * received.
 */
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { type ReportedText, readError } from './read-error.ts';

/** Maximum length of the expected and of the received value, so that a long value leaves room for the other value. */
const VALUE_CHARACTERS = 120;

/** `characters`: the maximum length of the line. Secrets in the error must already be masked. */
export function formatErrorLine(error: ReportedText, characters: number): string {
  const { title, expected, received } = readError(error);
  const values: string[] = [];
  if (expected !== null) values.push(`expected ${formatValue(expected)}`);
  if (received !== null) values.push(`received ${formatValue(received)}`);
  const newValues = values.filter((text) => !title.includes(text));
  const headline = collapseWhitespace(title);
  const line = newValues.length > 0 ? `${headline}: ${newValues.join(', ')}` : headline;
  return takeFirstCharacters(line, characters);
}

const collapseWhitespace = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

const formatValue = (text: string): string => {
  const line = collapseWhitespace(text);
  return line.length <= VALUE_CHARACTERS ? line : `${takeFirstCharacters(line, VALUE_CHARACTERS)}…`;
};
