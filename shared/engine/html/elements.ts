/**
 * The HTML and SVG elements of the pages, with their attributes. There is no `style` and no event handler, because the
 * Content-Security-Policy forbids them.
 */
import type { Child } from './html.ts';

type Text = string | undefined;
type Size = number | string;

interface Common {
  readonly children?: Child;
  readonly id?: Text;
  readonly class?: Text;
  readonly title?: Text;
  readonly lang?: string;
  readonly role?: string;
  readonly hidden?: boolean;
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

interface Drawn {
  readonly fill?: string;
  readonly stroke?: string;
  readonly 'stroke-width'?: Size;
}

type None = Readonly<Record<never, never>>;

/** The attributes of each element, in addition to the attributes that all elements have. */
export interface Elements {
  a: { readonly href: string; readonly rel?: string; readonly hreflang?: string; readonly download?: boolean };
  abbr: None;
  article: None;
  aside: None;
  b: None;
  bdi: None;
  body: None;
  br: None;
  button: {
    readonly type: 'submit' | 'button';
    readonly name?: string;
    readonly value?: string;
    readonly formaction?: string;
    readonly formmethod?: 'get';
    readonly formnovalidate?: boolean;
  };
  caption: None;
  code: None;
  data: { readonly value: Size };
  dd: None;
  /** Browsers keep only one of several `details` elements with the same `name` open. */
  details: { readonly open?: boolean; readonly name?: string };
  div: None;
  dl: None;
  dt: None;
  em: None;
  fieldset: { readonly disabled?: boolean };
  figcaption: None;
  figure: None;
  footer: None;
  form: { readonly method: 'get' | 'post'; readonly action: string; readonly enctype?: 'multipart/form-data' };
  h1: None;
  h2: None;
  h3: None;
  head: None;
  h4: None;
  header: None;
  hr: None;
  datalist: None;
  html: { readonly lang: string };
  i: None;
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
    readonly pattern?: string;
    readonly readonly?: boolean;
    /** The id of a `datalist` element with suggestions. */
    readonly list?: string | undefined;
  };
  kbd: None;
  /** Without `for`, the label belongs to the field that it contains. */
  label: { readonly for?: string };
  legend: None;
  li: None;
  link: { readonly rel: string; readonly href: string; readonly type?: string };
  main: None;
  mark: None;
  meta: { readonly name?: string; readonly content?: string; readonly charset?: string };
  nav: None;
  noscript: None;
  ol: None;
  option: { readonly value: string; readonly selected?: boolean };
  p: None;
  pre: None;
  progress: { readonly value: number; readonly max: number };
  script: { readonly src: string; readonly type: 'module' };
  s: None;
  search: None;
  section: None;
  select: Field & { readonly multiple?: boolean };
  small: None;
  span: None;
  strong: None;
  summary: None;
  table: None;
  tbody: None;
  td: { readonly colspan?: number };
  textarea: Field & { readonly rows?: number; readonly maxlength?: number };
  tfoot: None;
  th: { readonly scope: 'col' | 'row'; readonly colspan?: number };
  thead: None;
  time: { readonly datetime: string };
  title: None;
  tr: None;
  ul: None;
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
    readonly preserveAspectRatio?: string;
  };
  /** A reference to an icon in the SVG sprite of the page, such as `#i-name`. */
  use: { readonly href: `#${string}` };
  symbol: { readonly viewBox: string };
  g: { readonly transform?: string };
  path: Drawn & { readonly d: string };
  rect: Drawn & {
    readonly x: Size;
    readonly y?: Size;
    readonly width: Size;
    readonly height: Size;
    readonly rx?: Size;
  };
  line: Drawn & { readonly x1: Size; readonly y1: Size; readonly x2: Size; readonly y2: Size };
  polyline: Drawn & { readonly points: string };
  circle: Drawn & { readonly cx: Size; readonly cy: Size; readonly r: Size };
  text: Drawn & {
    readonly x: Size;
    readonly y: Size;
    readonly 'text-anchor'?: 'start' | 'middle' | 'end';
    readonly textLength?: Size;
  };
}

export type ElementProps<Name extends keyof Elements> = Common & Elements[Name];

/** Void elements, which have no end tag. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'link', 'meta']);
