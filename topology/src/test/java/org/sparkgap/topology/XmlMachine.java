// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.StringReader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

/** An XML of format 2 read by Java's parser alone, so that hwloc does not judge itself. */
final class XmlMachine {
    final Element root;
    final Map<String, Element> objects = new LinkedHashMap<>();

    XmlMachine(String text) throws Exception {
        DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        parser.setEntityResolver((publicId, systemId) -> new InputSource(new StringReader("")));
        root = parser.parse(new InputSource(new StringReader(text))).getDocumentElement();
        collect(root);
    }

    /** The recorded machines of hwloc's own tests. */
    static List<Path> files() throws Exception {
        String data = System.getenv("SPARKGAP_DATA");
        Path folder = Path.of(data == null ? "SPARKGAP_DATA is not set; make sets it" : data, "topologies", "xml");
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*.xml")) {
            found.forEach(files::add);
        }
        files.sort(null);
        return files;
    }

    static boolean isFormat2(String text) {
        return text.contains("<topology version=\"2.");
    }

    Stream<Element> ofType(String type) {
        return objects.values().stream()
                .filter(object -> object.getAttribute("type").equals(type));
    }

    static List<Element> children(Element parent, String name) {
        List<Element> children = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element && element.getTagName().equals(name)) {
                children.add(element);
            }
        }
        return children;
    }

    static List<TopologyObject.Info> infos(Element element) {
        return children(element, "info").stream()
                .map(info -> new TopologyObject.Info(info.getAttribute("name"), info.getAttribute("value")))
                .toList();
    }

    /** Null where there is none. */
    static String text(Element element, String attribute) {
        return element.hasAttribute(attribute) ? element.getAttribute(attribute) : null;
    }

    /** The words of all children of a name. */
    static List<String> words(Element element, String name) {
        return children(element, name).stream()
                .flatMap(child -> Stream.of(child.getTextContent().strip().split("\\s+")))
                .toList();
    }

    private void collect(Element parent) {
        for (Element object : children(parent, "object")) {
            objects.put(object.getAttribute("gp_index"), object);
            collect(object);
        }
    }
}
