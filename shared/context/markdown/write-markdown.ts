/** Writes Markdown nodes as text. */
import type { Link, RootContent } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';

/**
 * Writes the URLs of links without escapes: AI tools copy them literally, and `\&` for `&` would break them. Angle
 * brackets make escapes unnecessary, because a normalized URL contains neither angle brackets nor spaces.
 */
const link: Handle = (node: Link, _parent, state, info) =>
  `[${state.containerPhrasing(node, info)}](<${new URL(node.url).href}>)`;

const OPTIONS: Options = {
  handlers: { link },
  bullet: '-',
  listItemIndent: 'one',
  // Cells are not padded, because one long cell would widen all other cells of its column.
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
};

/** Writes blocks as Markdown that ends with a line break. An empty line separates two blocks. */
export const writeMarkdown = (...children: RootContent[]): string => toMarkdown({ type: 'root', children }, OPTIONS);
