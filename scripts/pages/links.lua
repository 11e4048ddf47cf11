-- Links between documents lead to their HTML, and links to reports to their pages, with the CSV beside them.
-- A table or a block of code that is wider than the screen scrolls in a box of its own.

function Link(link)
  local path, anchor = link.target:match("^([^#]*)(.*)$")
  if path:match("^%a+:") then return nil end
  if path:match("%.md$") then
    link.target = path:gsub("%.md$", ".html") .. anchor
    return link
  end
  if path:match("%.csv$") then
    local report = pandoc.Link(link.content, (path:gsub("%.csv$", ".html")))
    return { report, pandoc.Str(" ("), pandoc.Link("CSV", path), pandoc.Str(")") }
  end
end

function Table(table)
  return pandoc.Div(table, { class = "scroll", tabindex = "0", role = "region", ["aria-label"] = "Table" })
end

function CodeBlock(block)
  block.attributes.tabindex = "0"
  return block
end
