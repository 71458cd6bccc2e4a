/** Serializes our Markdown trees. */
import type { Link, RootContent } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';

/**
 * Writes link addresses without escapes: AI tools copy them literally, and `\\&` for `&` would break them. Angle brackets make
 * escapes unnecessary, because a normalized URL contains neither brackets nor spaces.
 */
const link: Handle = (node: Link, _parent, state, info) =>
  `[${state.containerPhrasing(node, info)}](<${new URL(node.url).href}>)`;

const OPTIONS: Options = {
  handlers: { link },
  bullet: '-',
  listItemIndent: 'one',
  // Cells have no padding: one long cell would widen all others of its column.
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
};

/** Ends with a line break. An empty line separates two blocks. */
export const write = (...children: RootContent[]): string => toMarkdown({ type: 'root', children }, OPTIONS);
