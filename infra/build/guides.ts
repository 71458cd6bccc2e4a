/** The guides that the service shows at `/docs`, parsed from the Markdown files of the project. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Heading, Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const PROJECT = join(import.meta.dirname, '../..');

/** The guides by the last segment of their addresses. */
export const guides = (): Readonly<Record<'reporters' | 'api' | 'changelog', Root>> => ({
  reporters: parsed('infra/client/package/README.md'),
  api: parsed('functions/README.md'),
  changelog: parsed('CHANGELOG.md'),
});

function parsed(file: string): Root {
  const text = readFileSync(join(PROJECT, file), 'utf8');
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  withoutPositions(root);
  // Leaves out the decisions, which are for people who work on Rundown. They are the last section of a guide.
  const decisions = root.children.findIndex((node) => node.type === 'heading' && isNamed(node, 'Decisions'));
  return decisions < 0 ? root : { ...root, children: root.children.slice(0, decisions) };
}

const isNamed = ({ children: [first] }: Heading, name: string): boolean =>
  first?.type === 'text' && first.value === name;

/** Removes the positions in the Markdown file, which would make up most of the bundled text. */
function withoutPositions(node: Nodes): void {
  delete node.position;
  if ('children' in node) for (const child of node.children) withoutPositions(child);
}
