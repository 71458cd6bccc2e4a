/** Texts in Slack's mrkdwn. Slack parses mentions and links between angle brackets only, so three characters are escaped. */
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';

export function plain(text: string, characters: number): string {
  const line = visibleLine(text);
  const shown = beginningOf(line, characters);
  return `${escaped(shown)}${shown.length < line.length ? '…' : ''}`;
}

/** Code cannot contain a backtick, so another quotation mark stands for it. */
export const code = (text: string, characters: number): string =>
  `\`${plain(text.replaceAll('`', "'"), characters) || ' '}\``;

/** The address is one of this service. */
export const link = (url: string, text: string): string => `<${escaped(url).replaceAll('|', '%7C')}|${text}>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
