/**
 * Reads an XML document and builds only the elements that a parser asks for, one at a time. Ignores namespace prefixes,
 * and accepts what htmlparser2 accepts.
 */
import { copyText } from '#shared/engine/own-copy.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import { KeptBeginning, KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { BoundedParser } from './bounded-parser.ts';
import { getLocalName, makeMarkupFeed } from './markup-feed.ts';

/** An element that was built with everything in it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  readonly text: string;
  /** Whether the file ends within the element. */
  readonly isCut: boolean;
}

/** An open element around those that are built. */
export interface OuterElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: OuterElement | undefined;
}

export interface ElementTaker {
  /** Whether an element with this name is built. */
  isBuilt(name: string, outer: OuterElement): boolean;
  /** Called with each element that is built. */
  take(element: XmlElement, outer: OuterElement): void;
  open?(outer: OuterElement): void;
  close?(outer: OuterElement, isCut: boolean): void;
  /** Whether the rest of the file can be skipped. */
  readonly full: boolean;
  /** Names of elements whose text is output, of which the end is kept. */
  readonly outputs?: ReadonlySet<string>;
}

/** Suites have an element of their own for their results in NUnit 2. */
const MOST_OUTER = 2 * REPORT_LIMITS.depth;

interface OpenElement {
  readonly element: XmlElement & { readonly children: XmlElement[] };
  readonly text: KeptBeginning | KeptEnd;
}

export class ElementReader {
  readonly #taker: ElementTaker;
  readonly #input: ParserInput;
  readonly #parser: BoundedParser;
  readonly #feed: ReturnType<typeof makeMarkupFeed>;
  readonly #open: OpenElement[] = [];
  #outer: OuterElement | undefined;
  #outerDepth = 0;
  /** The number of open elements inside a built element that are too deep or too many to be kept. */
  #hidden = 0;
  #elements = 0;
  #characters = 0;
  #ended = false;
  #begun = false;
  /** Whether the file ends inside an element, or was cut at a limit. */
  #isTruncated = false;
  tooDeep = false;
  /** Whether elements of a test were left out, because they are nested too deeply or are too many. */
  tooLarge = false;

  constructor(taker: ElementTaker, input: ParserInput) {
    this.#taker = taker;
    this.#input = input;
    this.#parser = new BoundedParser({
      onopentag: (name, attributes) => this.#openElement(getLocalName(name), attributes),
      onclosetag: () => this.#closeElement(),
      ontext: (text) => this.#addText(text),
    });
    this.#feed = makeMarkupFeed(this.#parser, (units) => this.#work(units));
  }

  async read(text: AsyncIterable<string>): Promise<void> {
    for await (const part of text) if (!this.#feed.write(part) || this.tooDeep || this.#taker.full) break;
    this.#ended = true;
    this.#isTruncated ||= this.#outer !== undefined || this.#open.length > 0;
    if (!this.tooDeep) this.#feed.end();
    if (!this.#begun) throw unreadableReport(this.#input.name ?? '', 'has no XML element');
  }

  get whole(): boolean {
    return !this.#isTruncated;
  }

  #work(units: number): void {
    this.#input.reading.work(units, this.#input.name);
  }

  #openElement(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.tooDeep) return;
    this.#begun = true;
    this.#work(REPORT_LIMITS.work.xmlElement);
    const isTooDeep = this.#outerDepth === MOST_OUTER || this.#open.length + this.#hidden === REPORT_LIMITS.suiteDepth;
    if (isTooDeep) {
      this.tooDeep = true;
      this.#isTruncated = true;
      this.#parser.pause();
      return;
    }
    const isInside = this.#open.length > 0;
    if (!isInside && !(this.#outer && this.#taker.isBuilt(name, this.#outer))) {
      this.#outer = { name, attributes: copyAttributes(attributes), parent: this.#outer };
      this.#outerDepth += 1;
      this.#taker.open?.(this.#outer);
      return;
    }
    if (!isInside) {
      this.#elements = 0;
      this.#characters = 0;
    }
    this.#elements += 1;
    const isTooMuch =
      this.#open.length === REPORT_LIMITS.elementDepth || this.#elements > REPORT_LIMITS.elementsPerTest;
    if (this.#hidden > 0 || isTooMuch) {
      this.#hidden += 1;
      this.tooLarge = true;
      return;
    }
    const text = this.#taker.outputs?.has(name)
      ? new KeptEnd(REPORT_LIMITS.outputCharacters)
      : new KeptBeginning(REPORT_LIMITS.stackCharacters);
    this.#open.push({
      element: { name, attributes: copyAttributes(attributes), children: [], text: '', isCut: false },
      text,
    });
  }

  #addText(text: string): void {
    const element = this.#open.at(-1);
    if (!element || this.#hidden > 0) return;
    this.#characters += text.length;
    if (this.#characters <= REPORT_LIMITS.elementCharacters) element.text.add(text);
  }

  #closeElement(): void {
    if (this.#hidden > 0) {
      this.#hidden -= 1;
      return;
    }
    const last = this.#open.pop();
    if (last) this.#closeBuilt({ ...last.element, text: last.text.text, isCut: this.#ended });
    else if (this.#outer) {
      const outer = this.#outer;
      this.#outer = outer.parent;
      this.#outerDepth -= 1;
      this.#taker.close?.(outer, this.#ended);
    }
  }

  #closeBuilt(element: XmlElement): void {
    const around = this.#open.at(-1);
    if (around) around.element.children.push(element);
    else if (this.#outer && !this.#taker.full) {
      this.#work(REPORT_LIMITS.work.xmlTest);
      this.#taker.take(element, this.#outer);
    }
  }
}

const copyAttributes = (attributes: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(attributes).map(([name, value]) => [getLocalName(name), copyText(value)]));

export const getAttribute = (element: Pick<XmlElement, 'attributes'>, name: string): string =>
  element.attributes.get(name) ?? '';

/** The first element at a path of child elements, such as `Output`, `ErrorInfo`, `Message`. */
export function findChild(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  let child: XmlElement | undefined = element;
  for (const name of path) child = child?.children.find((one) => one.name === name);
  return child;
}

export const listChildren = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

export const getText = (element: XmlElement | undefined): string => element?.text.trim() ?? '';

/** The names and values of the outer elements, beginning with the innermost. */
export function* listOuter(outer: OuterElement | undefined): Generator<OuterElement, void> {
  for (let element = outer; element; element = element.parent) yield element;
}
