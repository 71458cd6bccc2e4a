/** Trees of ours as text. */
import type { RootContent } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';

const OPTIONS: Options = {
  bullet: '-',
  listItemIndent: 'one',
  // Cells as long as what is in them: a long one must not widen all others of its column.
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
};

/** Ends with a line break. An empty line stands between two blocks. */
export const write = (...children: RootContent[]): string => toMarkdown({ type: 'root', children }, OPTIONS);
