import type { Chart } from './chart.ts'
import { chartSpec } from './chart-spec.ts'

/** Widths for the full column, half a column, and a phone. */
export const WIDTHS_PIXELS = { wide: 880, half: 420, narrow: 340 }

/**
 * Draws a chart. Returns the content of an SVG element and the size of its view box. The content has no script, style
 * or address. Colours are CSS variables of the page, and names are escaped.
 */
export async function drawChart(
  chart: Chart,
  widthPixels: number,
): Promise<{ widthPixels: number; heightPixels: number; inner: string }> {
  // Loaded only for pages, because vega is large.
  const vega = await import('vega')
  const view = new vega.View(vega.parse(chartSpec(chart, widthPixels)), { renderer: 'none', logLevel: vega.Error })
  try {
    const svg = await view.toSVG()
    const [, width, height, inner = ''] = /^<svg[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)">(.*)<\/svg>$/s.exec(svg) ?? []
    if (width === undefined) throw new Error('vega did not return an SVG element')
    return { widthPixels: Number(width), heightPixels: Number(height), inner: withoutUnusedAttributes(inner) }
  } finally {
    view.finalize()
  }
}

/** Removes attributes without use: assistive technology reads only the title of the whole image. */
function withoutUnusedAttributes(svg: string): string {
  return svg.replaceAll(/<[a-z]+ [^<>]*>/g, (tag) =>
    tag.replaceAll(/ (?:role|aria-[a-z]+|pointer-events|class)="[^"]*"/g, ''),
  )
}
