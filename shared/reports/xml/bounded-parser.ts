/**
 * htmlparser2 accepts invalid XML that test tools write: raw control characters, bare `&`, several roots, a truncated
 * end. It ignores document type declarations, so it does not expand the entities that they define. This class limits
 * how many attributes of an element the parser keeps, and how much text of each.
 */
import { type Handler, Parser, type ParserOptions } from 'htmlparser2';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';

const OPTIONS: ParserOptions = { xmlMode: true };
type Quote = Parameters<Parser['onattribend']>[0];

export class BoundedParser extends Parser {
  #attributes = 0;
  #characters = 0;
  events = 0;

  constructor(handler: Partial<Handler>) {
    super(handler, OPTIONS);
  }

  override onopentagname(start: number, end: number): void {
    this.#attributes = 0;
    this.events += 1;
    super.onopentagname(start, end);
  }

  override onattribname(start: number, end: number): void {
    this.#attributes += 1;
    this.#characters = 0;
    this.events += 1;
    super.onattribname(start, end);
  }

  override onattribdata(start: number, end: number): void {
    this.events += 1;
    // A dropped value is passed on as an empty range, because this call lets the parser free the text before the value.
    super.onattribdata(this.#fits(end - start) ? start : end, end);
  }

  override onattribentity(codePoint: number): void {
    this.events += 1;
    if (this.#fits(1)) super.onattribentity(codePoint);
  }

  override onattribend(quote: Quote, end: number): void {
    if (this.#attributes <= REPORT_LIMITS.attributesPerElement) super.onattribend(quote, end);
  }

  override ontext(start: number, end: number): void {
    this.events += 1;
    super.ontext(start, end);
  }

  override ontextentity(codePoint: number, end: number): void {
    this.events += 1;
    super.ontextentity(codePoint, end);
  }

  override ondeclaration(start: number, end: number): void {
    this.events += 1;
    super.ondeclaration(start, end);
  }

  override onprocessinginstruction(start: number, end: number): void {
    this.events += 1;
    super.onprocessinginstruction(start, end);
  }

  override oncdata(start: number, end: number, offset: number): void {
    this.events += 1;
    super.oncdata(start, end, offset);
  }

  override oncomment(start: number, end: number, offset: number): void {
    this.events += 1;
    super.oncomment(start, end, offset);
  }

  override onclosetag(start: number, end: number): void {
    this.events += 1;
    super.onclosetag(start, end);
  }

  #fits(characters: number): boolean {
    this.#characters += characters;
    return (
      this.#characters <= REPORT_LIMITS.attributeCharacters && this.#attributes <= REPORT_LIMITS.attributesPerElement
    );
  }
}
