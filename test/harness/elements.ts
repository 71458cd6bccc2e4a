/** Finds elements and texts in the HTML of a page. */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter as tree } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export const elementsIn = (node: Node): Element[] => [
  ...(tree.isElementNode(node) ? [node] : []),
  ...('childNodes' in node ? node.childNodes.flatMap(elementsIn) : []),
];

export function textOf(node: Node): string {
  if (tree.isTextNode(node)) return node.value;
  if (node.nodeName === 'br') return ' ';
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

export const isWithin = ({ parentNode }: Element, tagName: string): boolean =>
  parentNode !== null && 'tagName' in parentNode && (parentNode.tagName === tagName || isWithin(parentNode, tagName));

export const attribute = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((one) => one.name === name)?.value;
