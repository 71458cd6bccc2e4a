/** Trees of ours as text. */
import type { Link, RootContent } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';

/**
 * An address as it is: an AI tool copies it from the text, where `\\&` for `&` would lead nowhere. Between angle brackets
 * nothing in it has to be escaped, since a URL holds neither brackets nor blanks once it is normalized.
 */
const link: Handle = (node: Link, _parent, state, info) =>
  `[${state.containerPhrasing(node, info)}](<${new URL(node.url).href}>)`;

const OPTIONS: Options = {
  handlers: { link },
  bullet: '-',
  listItemIndent: 'one',
  // Cells as long as what is in them: a long one must not widen all others of its column.
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
};

/** Ends with a line break. An empty line stands between two blocks. */
export const write = (...children: RootContent[]): string => toMarkdown({ type: 'root', children }, OPTIONS);
