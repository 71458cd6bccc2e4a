/**
 * Renders JSX to HTML text. Every text and attribute value is escaped, and no prop takes raw HTML. All elements and
 * attributes are typed (`elements.ts`), so a misspelled name does not compile.
 */
import { type ElementProps, type Elements, VOID_ELEMENTS } from './elements.ts';
import { type Child, Html } from './html.ts';

type Props = Readonly<Record<string, unknown>> & { readonly children?: Child };
type Component = (props: never) => Html;

export function jsx(type: string | Component, props: Props): Html {
  if (typeof type === 'string') return renderElement(type, props);
  // The compiler has already checked that the props match those that the component declares.
  return type(props as never);
}

export { jsx as jsxDEV, jsx as jsxs };

export const Fragment = ({ children }: { readonly children?: Child }): Html => new Html(renderChild(children));

function renderElement(name: string, { children, ...attributes }: Props): Html {
  const open = `<${name}${Object.entries(attributes).map(renderAttribute).join('')}>`;
  return new Html(VOID_ELEMENTS.has(name) ? open : `${open}${renderChild(children)}</${name}>`);
}

function renderAttribute([name, value]: [string, unknown]): string {
  if (value === undefined || value === null || value === false) return '';
  if (value === true) return ` ${name}`;
  if (typeof value === 'string' || typeof value === 'number') return ` ${name}="${escapeHtml(String(value))}"`;
  throw new Error(`The value of the attribute ${name} is neither a string nor a number`);
}

function renderChild(child: Child): string {
  if (child === undefined || child === null || child === false) return '';
  if (child instanceof Html) return child.toString();
  if (typeof child === 'string') return escapeHtml(child);
  if (typeof child === 'number') return String(child);
  // Throws for any object that is not an array, such as a database row, because such an object has no `map` method.
  return child.map(renderChild).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // HTML parsers drop or replace NUL, so pages show the replacement character.
  '\0': '\ufffd',
};

const escapeHtml = (text: string): string =>
  text.toWellFormed().replaceAll(/[&<>"'\0]/g, (character) => ENTITIES[character] ?? '');

/** For a style sheet that the build has made. The text of this element is never escaped. */
export function makeStyleElement(text: string): Html {
  if (text.includes('</')) throw new Error('A style sheet must not contain the end of an element');
  return new Html(`<style>${text}</style>`);
}

export declare namespace JSX {
  type Element = Html;
  type ElementType = keyof Elements | ((props: never) => Html);
  interface ElementChildrenAttribute {
    children: Child;
  }
  type IntrinsicElements = { readonly [Name in keyof Elements]: ElementProps<Name> };
}
