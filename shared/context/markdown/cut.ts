/** The first characters of a tree, as a tree: whoever reads it finds every fence, list and table closed. */
import type { ListItem, Nodes, Paragraph, PhrasingContent, RootContent, TableRow } from 'mdast';
import { beginningOf } from '../plain-text.ts';

/** Counted down while a tree is gone through. */
export interface Allowance {
  characters: number;
}

/** Characters of all its texts. */
export function lengthOf(node: Nodes): number {
  if ('value' in node) return node.value.length;
  return 'children' in node ? node.children.reduce((sum, child) => sum + lengthOf(child), 0) : 0;
}

/** The node itself where there is room for all of it, `undefined` where there is for nothing. */
export function cutNode(node: RootContent, allowance: Allowance): RootContent | undefined {
  switch (node.type) {
    case 'code':
      return cutText(node, allowance);
    case 'paragraph':
      return cutParagraph(node, allowance);
    case 'list':
      return withFirst(node, first(node.children, allowance, cutItem), 1);
    case 'table':
      // Without a row after its head, a table says nothing.
      return withFirst(node, first(node.children, allowance, whole<TableRow>), 2);
    default:
      return whole(node, allowance);
  }
}

function cutParagraph(node: Paragraph, allowance: Allowance): Paragraph | undefined {
  const children = first(node.children, allowance, cutPhrasing);
  // Words that lead to what is not there.
  const last = children.at(-1);
  if (children.length < node.children.length && last?.type === 'text' && node.children.includes(last)) children.pop();
  return withFirst(node, children, 1);
}

const cutPhrasing = (node: PhrasingContent, allowance: Allowance): PhrasingContent | undefined =>
  node.type === 'text' || node.type === 'inlineCode' ? cutText(node, allowance) : whole(node, allowance);

const cutItem = (node: ListItem, allowance: Allowance): ListItem | undefined =>
  withFirst(node, first(node.children, allowance, cutInItem), 1);

function cutInItem(node: ListItem['children'][number], allowance: Allowance): ListItem['children'][number] | undefined {
  if (node.type === 'paragraph') return cutParagraph(node, allowance);
  if (node.type === 'list') return withFirst(node, first(node.children, allowance, cutItem), 1);
  return whole(node, allowance);
}

function cutText<Node extends { value: string }>(node: Node, allowance: Allowance): Node | undefined {
  const { characters } = allowance;
  allowance.characters -= node.value.length;
  if (allowance.characters >= 0) return node;
  const value = beginningOf(node.value, characters - 1);
  return value === '' ? undefined : { ...node, value: `${value}…` };
}

function whole<Node extends Nodes>(node: Node, allowance: Allowance): Node | undefined {
  allowance.characters -= lengthOf(node);
  return allowance.characters >= 0 ? node : undefined;
}

/** Up to the first that is not there whole. */
function first<Node>(
  nodes: readonly Node[],
  allowance: Allowance,
  cut: (node: Node, allowance: Allowance) => Node | undefined,
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
