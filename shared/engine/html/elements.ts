/**
 * The HTML and SVG elements of the pages, with their attributes. There is no `style` and no event handler, because the
 * Content-Security-Policy forbids them.
 */
import type { Child } from './html.ts';

type Text = string | undefined;
type Size = number | string;

interface CommonAttributes {
  readonly children?: Child;
  readonly id?: Text;
  readonly class?: Text;
  readonly title?: Text;
  readonly lang?: string;
  readonly role?: string;
  readonly hidden?: boolean;
  readonly popover?: 'auto';
  readonly tabindex?: 0 | -1;
  readonly [data: `data-${string}`]: Size | boolean | undefined;
  readonly [aria: `aria-${string}`]: Size | boolean | undefined;
}

interface Field {
  readonly name: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly autocomplete?: string;
}

interface ShapeAttributes {
  readonly fill?: string;
  readonly stroke?: string;
  readonly 'stroke-width'?: Size;
}

/** These have only the attributes of all elements. */
type PlainElement =
  | 'article'
  | 'aside'
  | 'b'
  | 'bdi'
  | 'body'
  | 'br'
  | 'caption'
  | 'code'
  | 'dd'
  | 'div'
  | 'dl'
  | 'dt'
  | 'em'
  | 'figcaption'
  | 'figure'
  | 'footer'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'head'
  | 'header'
  | 'hr'
  | 'datalist'
  | 'i'
  | 'kbd'
  | 'legend'
  | 'li'
  | 'main'
  | 'mark'
  | 'nav'
  | 'noscript'
  | 'ol'
  | 'p'
  | 'pre'
  | 's'
  | 'search'
  | 'section'
  | 'small'
  | 'span'
  | 'strong'
  | 'summary'
  | 'table'
  | 'tbody'
  | 'tfoot'
  | 'thead'
  | 'title'
  | 'tr'
  | 'ul';

/** In addition to the attributes of all elements. */
export interface Elements extends Readonly<Record<PlainElement, Readonly<Record<never, never>>>> {
  a: { readonly href: string; readonly rel?: string };
  button: {
    readonly type: 'submit' | 'button';
    readonly name?: string;
    readonly value?: string;
    readonly formaction?: string;
    readonly formmethod?: 'get';
    readonly formnovalidate?: boolean;
    /** The id of the element that the button shows and hides. */
    readonly popovertarget?: string;
    readonly popovertargetaction?: 'hide';
  };
  /** Browsers keep only one of several `details` elements with the same `name` open. */
  details: { readonly open?: boolean; readonly name?: string };
  fieldset: { readonly disabled?: boolean };
  form: { readonly method: 'get' | 'post'; readonly action: string; readonly enctype?: 'multipart/form-data' };
  html: { readonly lang: string };
  img: {
    readonly src: string;
    readonly alt: string;
    readonly width?: Size | undefined;
    readonly height?: Size | undefined;
    readonly loading?: 'lazy';
  };
  input: Field & {
    readonly type:
      | 'text'
      | 'email'
      | 'number'
      | 'search'
      | 'date'
      | 'checkbox'
      | 'radio'
      | 'range'
      | 'hidden'
      | 'url'
      | 'file'
      | 'password';
    readonly value?: Size | undefined;
    readonly checked?: boolean;
    readonly placeholder?: string;
    readonly min?: Size;
    readonly max?: Size;
    readonly step?: 'any';
    readonly maxlength?: number;
    /** The id of a `datalist` element with suggestions. */
    readonly list?: string | undefined;
  };
  /** Without `for`, the label belongs to the field that it contains. */
  label: { readonly for?: string };
  link: { readonly rel: string; readonly href: string; readonly type?: string; readonly media?: 'not all' };
  meta: { readonly name?: string; readonly property?: string; readonly content?: string; readonly charset?: string };
  option: { readonly value: string; readonly selected?: boolean };
  progress: { readonly value: number; readonly max: number };
  script: { readonly src: string; readonly type: 'module' };
  select: Field;
  td: { readonly colspan?: number };
  textarea: Field & { readonly rows?: number };
  th: { readonly scope: 'col' | 'row' };
  time: { readonly datetime: string };
  video: { readonly src: string; readonly controls: true; readonly preload: 'none'; readonly width?: Size };
  svg: {
    /** Needed only in an SVG that is served as a separate file. */
    readonly xmlns?: 'http://www.w3.org/2000/svg';
    readonly 'font-family'?: string;
    readonly 'font-size'?: number;
    readonly viewBox?: string;
    readonly x?: Size;
    readonly y?: Size;
    readonly width?: Size;
    readonly height?: Size;
  };
  /** A reference to an icon in the SVG sprite of the page, such as `#i-name`. */
  use: { readonly href: `#${string}` };
  symbol: { readonly viewBox: string };
  /** HTML inside an SVG, such as a text that ends with an ellipsis. */
  foreignObject: { readonly width: Size; readonly height: Size };
  g: { readonly transform?: string };
  path: ShapeAttributes & { readonly d: string };
  rect: ShapeAttributes & {
    readonly x: Size;
    readonly y?: Size;
    readonly width: Size;
    readonly height: Size;
    readonly rx?: Size;
  };
  line: ShapeAttributes & { readonly x1: Size; readonly y1: Size; readonly x2: Size; readonly y2: Size };
  circle: ShapeAttributes & { readonly cx: Size; readonly cy: Size; readonly r: Size };
  text: ShapeAttributes & {
    readonly x: Size;
    readonly y: Size;
    readonly 'text-anchor'?: 'start' | 'middle' | 'end';
    readonly textLength?: Size;
  };
}

export type ElementProps<Name extends keyof Elements> = CommonAttributes & Elements[Name];

/** Void elements, which have no end tag. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'link', 'meta']);
