extension ReportPage {
    /// The style sheet. Fonts are those of the system. On paper, colours are those of a light screen.
    static let style: HTML = """
        :root {
          color-scheme: light dark;
          --paper: #fff; --ink: #14171c; --soft: #565e6b; --line: #d9dee5; --shade: #eef1f5; --accent: #1551b5;
          --valid: #1d8a52; --invalid: #c8500f; --unavailable: #7048d6; --duplicate: #1f6fd0; --unreadable: #6a7280;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --paper: #14171b; --ink: #eceff3; --soft: #a9b2be; --line: #323943; --shade: #232930; --accent: #8fb8ff;
            --valid: #4fc78b; --invalid: #ff9a5c; --unavailable: #b09bff; --duplicate: #6fb0ff; --unreadable: #98a2b0;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; padding: clamp(1rem, 5vw, 4rem); max-inline-size: 66rem;
          background: var(--paper); color: var(--ink);
          font: 1rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
        }
        h1, h2, h3 { line-height: 1.2; text-wrap: balance; }
        h1 { margin: 0 0 1.5rem; font-size: clamp(1.875rem, 6vw, 3rem); letter-spacing: -.02em; }
        h2 { margin: 4rem 0 1rem; font-size: 1.5rem; letter-spacing: -.01em; }
        h3 { display: flex; align-items: baseline; margin: 0 0 .5rem; font-size: 1.0625rem; }
        p, ul, dl, dd { margin: 0; }
        small { color: var(--soft); font-size: .875rem; font-weight: 400; }
        a { color: inherit; text-decoration: underline var(--soft) 1px; text-underline-offset: .2em; }
        a:hover { color: var(--accent); }
        a:focus-visible { outline: .1875rem solid var(--accent); outline-offset: .125rem; }
        code, span > bdi, th > bdi {
          font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em;
        }
        header { padding-block-start: 1rem; border-block-start: .375rem solid var(--ink); }
        header p { margin-block-end: .5rem; color: var(--soft); font-weight: 600; }
        header dl { display: grid; grid-template-columns: auto 1fr; column-gap: 1.5rem; }
        header dd { grid-column: 2; }
        dt { color: var(--soft); }
        .notice {
          margin-block-start: 2rem; padding: .75rem 1rem;
          border-inline-start: .375rem solid var(--invalid); background: var(--shade);
        }
        .figures { display: flex; flex-wrap: wrap; gap: 1rem clamp(2rem, 6vw, 4rem); }
        .figures dd { font: 650 clamp(1.875rem, 5vw, 3rem)/1.2 system-ui, sans-serif; letter-spacing: -.02em; }
        .figures small { font-size: 1.125rem; letter-spacing: 0; }
        .stack {
          display: flex; gap: .125rem; block-size: 1.5rem; margin-block: 1.5rem;
          border-radius: .25rem; overflow: hidden;
        }
        .stack i { min-inline-size: .125rem; }
        .bar { display: block; margin-block: .375rem .25rem; background: var(--shade); }
        .bar i { display: block; block-size: .625rem; min-inline-size: .125rem; border-radius: 0 .1875rem .1875rem 0; }
        .dot {
          display: inline-block; flex: none; inline-size: .75rem; block-size: .75rem; margin-inline-end: .5rem;
          border-radius: .1875rem;
        }
        i, .bar { print-color-adjust: exact; forced-color-adjust: none; }
        .valid { background: var(--valid); }
        .invalid { background: var(--invalid); }
        .unavailable { background: var(--unavailable); }
        .duplicate { background: var(--duplicate); }
        .unreadable { background: var(--unreadable); }
        table { inline-size: 100%; border-collapse: collapse; }
        th, td {
          padding: .5rem .75rem .5rem 0; border-block-end: 1px solid var(--line);
          text-align: start; vertical-align: top;
        }
        td { overflow: hidden; }
        :is(th, td):last-child { padding-inline-end: 0; }
        th { font-weight: 600; }
        thead th { padding-block-start: 0; color: var(--soft); font-size: .875rem; white-space: nowrap; }
        tbody small { display: inline-block; }
        .sums td, .sums th + th { inline-size: 1%; padding-inline-start: .25rem; text-align: end; white-space: nowrap; }
        .examples :is(th, td) { padding-block: .3125rem; }
        .examples td:first-child { inline-size: 1%; color: var(--soft); white-space: nowrap; }
        .examples div { display: flex; flex-wrap: wrap; gap: .125rem 1rem; }
        .examples span { flex: 1 1 13rem; }
        .examples span + span { flex: 0 1 11rem; }
        .examples span + span::before { content: "→ "; }
        p + table { margin-block-start: 1rem; }
        span > bdi {
          margin-inline-end: .25rem; padding: .1rem .3rem; border-radius: .1875rem;
          background: var(--shade); white-space: break-spaces;
        }
        .topic { padding-block: 2rem .5rem; }
        .topic p { margin-block-end: .5rem; }
        footer { margin-block-start: 4rem; color: var(--soft); font-size: .875rem; }
        /* Large text on a telephone. */
        @media (max-width: 16rem) {
          table, table :is(th, small) { font-size: .5625rem; }
        }
        @media (min-width: 40rem) {
          .topic { display: grid; grid-template-columns: 15rem 1fr; column-gap: 3rem; align-items: start; }
          .examples { table-layout: fixed; }
          .examples :is(td, th):first-child { inline-size: 5rem; }
        }
        @page { size: A4; margin: 16mm; @bottom-right { content: counter(page) " / " counter(pages); } }
        @media print {
          :root { color-scheme: light; font-size: 9pt; }
          body { padding: 0; max-inline-size: none; }
          h2 { margin-block-start: 2.5rem; }
          h2, h3, thead { break-after: avoid; }
          tr, .figures, .notice, .sums, .topic { break-inside: avoid; }
          a { text-decoration: none; }
        }
        """
}
