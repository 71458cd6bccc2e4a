/** Cuts a Markdown tree to a length, so that every fence, list and table stays closed. */
import type { ListItem, Nodes, Paragraph, PhrasingContent, RootContent, TableRow } from 'mdast';
import { beginningOf } from '#shared/engine/plain-text.ts';

/** The remaining characters, counted down during the traversal. */
export interface CharactersLeft {
  characters: number;
}

/** The total length of all texts in the node. */
export function lengthOf(node: Nodes): number {
  if ('value' in node) return node.value.length;
  return 'children' in node ? node.children.reduce((sum, child) => sum + lengthOf(child), 0) : 0;
}

/** Returns the node itself if it fits, or `undefined` if nothing of it fits. */
export function cutNode(node: RootContent, allowance: CharactersLeft): RootContent | undefined {
  switch (node.type) {
    case 'code':
      return cutText(node, allowance);
    case 'paragraph':
      return cutParagraph(node, allowance);
    case 'list':
      return withFirst(node, first(node.children, allowance, cutItem), 1);
    case 'table':
      // A table without body rows is useless.
      return withFirst(node, first(node.children, allowance, whole<TableRow>), 2);
    default:
      return whole(node, allowance);
  }
}

function cutParagraph(node: Paragraph, allowance: CharactersLeft): Paragraph | undefined {
  const children = first(node.children, allowance, cutPhrasing);
  // Text that introduces a missing part is useless.
  const last = children.at(-1);
  if (children.length < node.children.length && last?.type === 'text' && node.children.includes(last)) children.pop();
  return withFirst(node, children, 1);
}

const cutPhrasing = (node: PhrasingContent, allowance: CharactersLeft): PhrasingContent | undefined =>
  node.type === 'text' || node.type === 'inlineCode' ? cutText(node, allowance) : whole(node, allowance);

const cutItem = (node: ListItem, allowance: CharactersLeft): ListItem | undefined =>
  withFirst(node, first(node.children, allowance, cutInItem), 1);

function cutInItem(
  node: ListItem['children'][number],
  allowance: CharactersLeft,
): ListItem['children'][number] | undefined {
  if (node.type === 'paragraph') return cutParagraph(node, allowance);
  if (node.type === 'list') return withFirst(node, first(node.children, allowance, cutItem), 1);
  return whole(node, allowance);
}

function cutText<Node extends { value: string }>(node: Node, allowance: CharactersLeft): Node | undefined {
  const { characters } = allowance;
  allowance.characters -= node.value.length;
  if (allowance.characters >= 0) return node;
  const value = beginningOf(node.value, characters - 1);
  return value === '' ? undefined : { ...node, value: `${value}…` };
}

function whole<Node extends Nodes>(node: Node, allowance: CharactersLeft): Node | undefined {
  allowance.characters -= lengthOf(node);
  return allowance.characters >= 0 ? node : undefined;
}

/** The items up to the first one that does not fit completely. */
function first<Node>(
  nodes: readonly Node[],
  allowance: CharactersLeft,
  cut: (node: Node, allowance: CharactersLeft) => Node | undefined,
): Node[] {
  const kept: Node[] = [];
  for (const node of nodes) {
    const part = cut(node, allowance);
    if (part !== undefined) kept.push(part);
    if (part !== node) break;
  }
  return kept;
}

function withFirst<Child, Parent extends { children: Child[] }>(
  parent: Parent,
  children: Child[],
  least: number,
): Parent | undefined {
  if (children.length < least) return undefined;
  const isWhole = children.length === parent.children.length && children.at(-1) === parent.children.at(-1);
  return isWhole ? parent : { ...parent, children };
}
