/**
 * Texts in Slack's mrkdwn. All texts of people and tests are code, in which Slack knows no formatting, emoji or automatic
 * links. It parses mentions and links between angle brackets everywhere, so three characters are escaped.
 */
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';

/** Code cannot contain a backtick, so another quotation mark stands for it. */
export function code(text: string, characters: number): string {
  const line = visibleLine(text).replaceAll('`', "'");
  const shown = beginningOf(line, characters);
  const whole = `${escaped(shown)}${shown.length < line.length ? '…' : ''}`;
  return `\`${whole || ' '}\``;
}

/** A link to a page of this service, with a text of this service. */
export const link = (url: string, text: string): string => `<${escaped(url).replaceAll('|', '%7C')}|${text}>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
