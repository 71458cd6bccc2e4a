/** Renders the Markdown of our own guides as HTML. */
import type { Nodes, Parent, Root, RootContent, Table } from 'mdast';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { CopiedText } from '#shared/pages/design/parts.tsx';

interface Rendering {
  /** Replaces placeholders in code, such as the address of the service. */
  readonly fill: (code: string) => string;
  /** Where a link leads. `undefined`: its text is shown without a link, because the service does not show its target. */
  readonly hrefOf: (url: string) => string | undefined;
}

export const Markdown = ({ root, ...rendering }: Rendering & { readonly root: Root }): Html => (
  <div class="prose guide">{renderChildren(root, rendering)}</div>
);

const renderChildren = ({ children }: Parent, rendering: Rendering): Child[] =>
  children.map((child) => renderNode(child, rendering));

function renderNode(node: RootContent, rendering: Rendering): Child {
  if (node.type === 'table') return <GuideTable table={node} rendering={rendering} />;
  const content = 'children' in node && renderChildren(node, rendering);
  switch (node.type) {
    case 'heading': {
      // The page has the name by which the start page lists the guide, and the file one for readers of the repository.
      if (node.depth === 1) return undefined;
      const id = makeSlug(node);
      return node.depth === 2 ? <h2 id={id}>{content}</h2> : <h3 id={id}>{content}</h3>;
    }
    case 'paragraph':
      return <p>{content}</p>;
    case 'text':
      return node.value;
    case 'strong':
      return <strong>{content}</strong>;
    case 'emphasis':
      return <em>{content}</em>;
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'code':
      return <CopiedText text={rendering.fill(node.value)} />;
    case 'break':
      return <br />;
    case 'link': {
      const href = rendering.hrefOf(node.url);
      return href === undefined ? content : <a href={href}>{content}</a>;
    }
    case 'list':
      return node.ordered ? <ol>{content}</ol> : <ul>{content}</ul>;
    case 'listItem':
      return <li>{content}</li>;
    default:
      throw new Error(`The guides contain Markdown of the type ${node.type}: add it to markdown.tsx`);
  }
}

function GuideTable({ table, rendering }: { readonly table: Table; readonly rendering: Rendering }): Html {
  const [head, ...rows] = table.children;
  const names = head?.children.map(extractText) ?? [];
  return (
    <div class="scroll" tabindex={0}>
      <table class={names.length > 2 ? 'stacked' : undefined}>
        {head && (
          <thead>
            <tr>
              {head.children.map((cell) => (
                <th scope="col">{renderChildren(cell, rendering)}</th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.children.map((cell, column) => (
                <td data-label={names[column]}>{renderChildren(cell, rendering)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const listHeadings = ({ children }: Root): { readonly id: string; readonly text: string }[] =>
  children.flatMap((node) =>
    node.type === 'heading' && node.depth === 2 ? { id: makeSlug(node), text: extractText(node) } : [],
  );

/** The parts of a guide below its headings of the second level, with their whole text. */
export function listSections({
  children,
}: Root): { readonly id: string; readonly title: string; readonly text: string }[] {
  const sections: { id: string; title: string; text: string }[] = [];
  for (const node of children) {
    if (node.type === 'heading' && node.depth === 2)
      sections.push({ id: makeSlug(node), title: extractText(node), text: '' });
    const section = sections.at(-1);
    if (section) section.text += ` ${extractText(node)}`;
  }
  return sections;
}

/** The id of a heading, in the form that GitHub uses, so that links to headings work on GitHub and on the website. */
const makeSlug = (node: Nodes): string =>
  extractText(node)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

function extractText(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(extractText).join('') : '';
}
