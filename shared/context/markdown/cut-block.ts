/** Cuts a Markdown block to a length. The result is still a valid tree, so every code fence, list and table is closed. */
import type { ListItem, Nodes, Paragraph, PhrasingContent, RootContent, TableRow } from 'mdast';
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { writeMarkdown } from './write-markdown.ts';

/** Finds the longest beginning that fits, by binary search: the written Markdown grows with this beginning. */
export function cutBlock(block: RootContent, room: number): RootContent | undefined {
  let longestBeginning: RootContent | undefined;
  let fitting = 0;
  let tooMany = measureLength(block);
  while (tooMany - fitting > 1) {
    const characters = Math.floor((fitting + tooMany) / 2);
    const beginning = cutNode(block, { characters });
    if (beginning && writeMarkdown(beginning).length > room) {
      tooMany = characters;
    } else {
      longestBeginning = beginning ?? longestBeginning;
      fitting = characters;
    }
  }
  return longestBeginning;
}

/** The remaining characters, counted down during the traversal. */
interface CharactersLeft {
  characters: number;
}

function measureLength(node: Nodes): number {
  if ('value' in node) return node.value.length;
  return 'children' in node ? node.children.reduce((sum, child) => sum + measureLength(child), 0) : 0;
}

/** Returns the node itself if it fits completely, or `undefined` if no part of it fits. */
function cutNode(node: RootContent, allowance: CharactersLeft): RootContent | undefined {
  switch (node.type) {
    case 'code':
      return cutText(node, allowance);
    case 'paragraph':
      return cutParagraph(node, allowance);
    case 'list':
      return replaceChildren(node, cutNodes(node.children, allowance, cutItem), 1);
    case 'table':
      // A table is left out if no body row fits, because its header alone says nothing.
      return replaceChildren(node, cutNodes(node.children, allowance, keepWhole<TableRow>), 2);
    default:
      return keepWhole(node, allowance);
  }
}

function cutParagraph(node: Paragraph, allowance: CharactersLeft): Paragraph | undefined {
  const children = cutNodes(node.children, allowance, cutPhrasing);
  // A text is dropped if the part that it introduces was cut off.
  const last = children.at(-1);
  if (children.length < node.children.length && last?.type === 'text' && node.children.includes(last)) children.pop();
  return replaceChildren(node, children, 1);
}

const cutPhrasing = (node: PhrasingContent, allowance: CharactersLeft): PhrasingContent | undefined =>
  node.type === 'text' || node.type === 'inlineCode' ? cutText(node, allowance) : keepWhole(node, allowance);

const cutItem = (node: ListItem, allowance: CharactersLeft): ListItem | undefined =>
  replaceChildren(node, cutNodes(node.children, allowance, cutInItem), 1);

function cutInItem(
  node: ListItem['children'][number],
  allowance: CharactersLeft,
): ListItem['children'][number] | undefined {
  if (node.type === 'paragraph') return cutParagraph(node, allowance);
  if (node.type === 'list') return replaceChildren(node, cutNodes(node.children, allowance, cutItem), 1);
  return keepWhole(node, allowance);
}

function cutText<Node extends { value: string }>(node: Node, allowance: CharactersLeft): Node | undefined {
  const { characters } = allowance;
  allowance.characters -= node.value.length;
  if (allowance.characters >= 0) return node;
  const value = takeFirstCharacters(node.value, characters - 1);
  return value === '' ? undefined : { ...node, value: `${value}…` };
}

function keepWhole<Node extends Nodes>(node: Node, allowance: CharactersLeft): Node | undefined {
  allowance.characters -= measureLength(node);
  return allowance.characters >= 0 ? node : undefined;
}

/** The items that fit, and then the part of the next item that still fits. */
function cutNodes<Node>(
  nodes: readonly Node[],
  allowance: CharactersLeft,
  cut: (node: Node, allowance: CharactersLeft) => Node | undefined,
): Node[] {
  const keptNodes: Node[] = [];
  for (const node of nodes) {
    const keptNode = cut(node, allowance);
    if (keptNode !== undefined) keptNodes.push(keptNode);
    if (keptNode !== node) break;
  }
  return keptNodes;
}

/** Returns the parent itself if it keeps all children, or `undefined` if fewer than `least` are left. */
function replaceChildren<Child, Parent extends { children: Child[] }>(
  parent: Parent,
  children: Child[],
  least: number,
): Parent | undefined {
  if (children.length < least) return undefined;
  const isWhole = children.length === parent.children.length && children.at(-1) === parent.children.at(-1);
  return isWhole ? parent : { ...parent, children };
}
